#include "tests/oracle/driver.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "session/cycle/gang_step.h"
#include "tests/oracle/driver_pool.h"
#include "tests/oracle/naive_model.h"
#include "tests/support/world.h"

namespace trellis::oracle {
namespace {

class Driver {
 public:
  explicit Driver(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  DriverResult run() {
    for (uint32_t i = 0; i < kTopologies; ++i) {
      levels_[topology_name(i)] = {"zone", "rack"};
      world_.topology(topology_name(i), {"zone", "rack"});
    }
    while (!bytes_.empty() && !result_.difference) {
      for (uint32_t left = bytes_.below(4); left > 0; --left) change_cluster();
      run_session();
    }
    return std::move(result_);
  }

 private:
  // --- the living cluster

  void change_cluster() {
    switch (bytes_.below(12)) {
      case 0:
      case 1:
      case 2:
        return set_node();
      case 3:
        return remove_node();
      case 4:
        return set_topology();
      case 5:
        return set_gang();
      case 6:
        return finish_pod();
      case 7:
        return leave();
      default:
        return set_pod();
    }
  }

  void set_node() {
    std::string name = node_name(bytes_.below(kNodes));
    NodeArgs args = draw_node(bytes_);
    note("node " + name);
    naive_.nodes[name].args = args;
    world_.node(name, args);
  }

  void remove_node() {
    std::string name = node_name(bytes_.below(kNodes));
    note("remove node " + name);
    naive_.nodes.erase(name);
    world_.cluster.remove_node(name);
  }

  void set_topology() {
    std::string name = topology_name(bytes_.below(kTopologies));
    levels_[name] = draw_levels(bytes_);
    note("topology " + name);
    world_.topology(name, levels_[name]);
  }

  void set_gang() {
    std::string name = gang_name(bytes_.below(kGangs));
    uint8_t shape = bytes_.byte();
    GangArgs args;
    args.min_member = 1 + shape % 3;
    if (shape / 4 % 4 > 0) {
      args.topology = topology_name(shape / 4 % 2);
      const std::string& level = levels_[args.topology].back();
      (shape / 16 % 2 == 0 ? args.required : args.preferred) = level;
    }
    note("gang " + name);
    world_.gang(name, args);
  }

  // New, or changed in any way.
  void set_pod() {
    std::string name = pod_name(bytes_.below(kPoolPods));
    NaivePod pod;
    pod.gang = gang_name(bytes_.below(kGangs));
    uint32_t kind = bytes_.below(static_cast<uint32_t>(pod_kinds().size()));
    pod.args = pod_kinds()[kind];
    uint8_t where = bytes_.byte();
    pod.args.hold = where % 16 == 15 ? PodHold::SchedulingGates : PodHold::None;
    if (where % 4 == 3) {
      pod.args.node = node_name(where / 4 % kNodes);
      pod.args.status = where / 64 == 0 ? PodStatus::Bound : PodStatus::Running;
      for (int i = 0; shares(pod.args) && i < pod.args.share.devices && where / 64 < 3; ++i) {
        pod.args.gpu_groups.push_back(std::to_string((where / 32 + i) % 4));
      }
    }
    note("pod " + name + " of kind " + std::to_string(kind) + " on '" + pod.args.node + "' of " +
         pod.gang);
    store(name, std::move(pod));
  }

  void finish_pod() {
    std::string name = pod_name(bytes_.below(kPoolPods));
    uint32_t how = bytes_.below(3);
    if (!naive_.pods.contains(name)) return;
    note("finish " + name);
    if (how == 0) {
      naive_.pods.erase(name);
      return world_.remove_pod(name);
    }
    NaivePod pod = naive_.pods[name];
    if (pod.args.node.empty()) return;
    pod.args.status = how == 1 ? PodStatus::Succeeded : PodStatus::Failed;
    store(name, std::move(pod));
  }

  void leave() {
    std::string name = pod_name(bytes_.below(kPoolPods));
    if (!naive_.pods.contains(name) || naive_.pods[name].args.node.empty()) return;
    note("leave " + name);
    NaivePod pod = naive_.pods[name];
    pod.args.status = PodStatus::Releasing;
    store(name, std::move(pod));
  }

  void store(const std::string& name, NaivePod pod) {
    world_.pod(name, pod.gang, pod.args);
    naive_.pods[name] = std::move(pod);
  }

  // --- a session

  void run_session() {
    note("session");
    session_ = &world_.scheduler().open(0);
    naive_.refresh();
    compare();
    world_.cluster.check_invariants();
    session_->snapshot().check_invariants(world_.cluster);
    session_->fits().check_invariants();
    saved_.clear();
    for (uint32_t left = bytes_.below(32); left > 0 && !result_.difference; --left) step();
    if (result_.difference) return;
    if (bytes_.below(3) == 0) {
      note("rollback of everything");
      session_->statement().rollback();
      if (!saved_.empty()) naive_ = std::move(saved_.front().naive);
      return compare();
    }
    finish_session();
  }

  void step() {
    switch (bytes_.below(10)) {
      case 0:
        return checkpoint();
      case 1:
        return roll_back();
      case 2:
      case 3:
        return ask();
      case 4:
        return evict();
      case 5:
        return place_gang();
      default:
        return place();
    }
  }

  void place() {
    std::string name = pod_name(bytes_.below(kPoolPods));
    std::string node = node_name(bytes_.below(kNodes));
    FitMode mode = bytes_.below(3) == 0 ? FitMode::Future : FitMode::Now;
    auto pod = naive_.pods.find(name);
    bool waits = pod != naive_.pods.end() && pod->second.status == PodStatus::Pending;
    if (!waits || pod->second.args.hold != PodHold::None || !naive_.nodes.contains(node)) return;
    save_first();
    PodId id = world_.pod_id(name);
    NodeId node_id = world_.node_id(node);
    PodClassId pod_class = world_.cluster.pods()[id].pod_class;
    int fit = naive_.fit(pod->second.args, node, mode);
    note("place " + name + " on " + node + (mode == FitMode::Now ? " now" : " in future"));
    int found = session_->fits().fit_now(pod_class, mode, node_id);
    if (found != fit) return differ("fit " + std::to_string(found), std::to_string(fit));
    if (fit == 0) return;
    if (!session_->statement().place(id, node_id, mode, fit - 1))
      return differ("refused", "placed");
    naive_.place(name, node, mode, devices_of(id));
    if (naive_.fit(pod->second.args, node, mode) + 1 != fit && fit < (1 << 20)) {
      return differ("a placement cost more than one", std::to_string(fit));
    }
    compare();
  }

  void evict() {
    std::string name = pod_name(bytes_.below(kPoolPods));
    auto pod = naive_.pods.find(name);
    if (pod == naive_.pods.end() || !naive_.nodes.contains(pod->second.node)) return;
    if (pod->second.status != PodStatus::Running && pod->second.status != PodStatus::Bound) return;
    save_first();
    note("evict " + name);
    session_->statement().evict(world_.pod_id(name), GangId());
    naive_.evict(name);
    compare();
  }

  // A step of the gang search: whatever it decides, the naive model can follow.
  void place_gang() {
    std::string name = gang_name(bytes_.below(kGangs));
    GangId gang = world_.gang_id(name);
    if (!gang.valid()) return;
    save_first();
    note("place gang " + name);
    size_t before = session_->statement().decision_count();
    if (!gang_refusals(*session_, gang).empty()) return;
    GangSearch search(*session_);
    GangStep step = GangProgress(gang).next(*session_, search);
    const std::vector<Decision>& decisions = session_->statement().decisions();
    if (step.result != GangStep::Result::Placed && decisions.size() != before) {
      return differ("something left behind", "nothing");
    }
    for (size_t i = before; i < decisions.size(); ++i) {
      const std::string& pod = world_.cluster.pods()[decisions[i].pod].pod.name;
      const std::string& node = world_.cluster.nodes()[decisions[i].node].name;
      FitMode mode = decisions[i].kind == Decision::Kind::Bind ? FitMode::Now : FitMode::Future;
      note("  " + pod + " on " + node);
      if (naive_.fit(naive_.pods[pod].args, node, mode) == 0) return differ("placed", "no room");
      naive_.place(pod, node, mode, devices_of(decisions[i].pod));
    }
    compare();
  }

  std::vector<int> devices_of(PodId pod) const {
    std::vector<int> devices;
    for (const GpuPart& part : session_->snapshot().grant(pod)) devices.push_back(part.device);
    return devices;
  }

  struct Saved {
    Statement::Checkpoint checkpoint;
    NaiveModel naive;
    NodeState state;  // for a comparison bit for bit
  };

  void save_first() {
    if (saved_.empty()) saved_.push_back({{}, naive_, session_->snapshot().state()});
  }

  void checkpoint() {
    save_first();
    note("checkpoint");
    saved_.push_back({session_->statement().checkpoint(), naive_, session_->snapshot().state()});
  }

  void roll_back() {
    if (saved_.empty()) return;
    size_t to = bytes_.below(static_cast<uint32_t>(saved_.size()));
    note("rollback " + std::to_string(saved_.size() - to));
    session_->statement().rollback(saved_[to].checkpoint);
    naive_ = saved_[to].naive;
    const NodeState& state = session_->snapshot().state();
    const NodeState& old = saved_[to].state;
    bool same = state.now == old.now && state.future == old.future &&
                state.device_now == old.device_now && state.device_future == old.device_future;
    saved_.resize(to + 1);
    if (!same) return differ("after a rollback", "before");
    compare();
  }

  // What the caches say of one kind of pod.
  void ask() {
    uint32_t index = bytes_.below(static_cast<uint32_t>(pod_kinds().size()));
    const PodArgs& kind = pod_kinds()[index];
    FitMode mode = bytes_.below(2) == 0 ? FitMode::Now : FitMode::Future;
    PodClassId pod_class;
    for (const auto& [name, pod] : naive_.pods) {
      if (spec_key(pod.args) == spec_key(kind)) pod_class = world_.class_of(name);
    }
    if (!pod_class.valid()) return;
    note("ask kind " + std::to_string(index) + (mode == FitMode::Now ? " now" : " in future"));
    FitCache& fits = session_->fits();
    int64_t total = 0;
    for (const auto& [name, node] : naive_.nodes) {
      int fit = naive_.fit(kind, name, mode);
      int found = fits.node_fit(world_.node_id(name), pod_class, mode);
      if (fit != found) return differ(name + " fits " + std::to_string(found), std::to_string(fit));
      total += fit;
    }
    if (fits.total(pod_class, mode) != total) return differ("total", std::to_string(total));
    for (const auto& [topology, levels] : levels_) ask_domains(topology, kind, pod_class, mode);
    ask_ranking(pod_class, mode);
  }

  void ask_domains(const std::string& topology, const PodArgs& kind, PodClassId pod_class,
                   FitMode mode) {
    std::map<Path, int64_t> wanted = {{{}, 0}};
    for (const auto& [name, node] : naive_.nodes) {
      Path path = path_of(node.args, levels_[topology]);
      int fit = naive_.fit(kind, name, mode);
      while (true) {
        wanted[path] += fit;
        if (path.empty()) break;
        path.pop_back();
      }
    }
    TopologyId id = world_.cluster.find_topology(topology);
    const TopologyTree& tree = session_->snapshot().trees()[id];
    const DomainCounts& counts = session_->fits().domain_counts(id, pod_class, mode);
    std::map<Path, int64_t> found;
    for (uint32_t i = 0; i < tree.domain_count(); ++i) {
      Path path;
      for (StrId value : tree.path(DomainId(i))) {
        path.emplace_back(world_.cluster.vocabulary().strings.view(value));
      }
      found[path] = counts[DomainId(i)];
    }
    if (found != wanted) differ("counts of domains of " + topology, "sums over their nodes");
  }

  // The topology with most levels, of those the first by name.
  std::vector<std::string> finest_levels() const {
    std::vector<std::string> finest;
    for (const auto& [topology, levels] : levels_) {
      if (levels.size() > finest.size()) finest = levels;
    }
    return finest;
  }

  // The kept ranking's best is the best by the scores as they are now; on a tie that in the fullest
  // domains, from the lowest up, then the first by path and name.
  void ask_ranking(PodClassId pod_class, FitMode mode) {
    FitCache& fits = session_->fits();
    std::vector<std::string> levels = finest_levels();
    auto fit_of = [&](const std::string& name) {
      return int64_t{fits.node_fit(world_.node_id(name), pod_class, mode)};
    };
    std::map<Path, int64_t> counts;
    std::map<Path, int> nodes;
    bool single_nodes = true;  // the domains of the lowest level
    for (const auto& [name, node] : naive_.nodes) {
      for (Path path = path_of(node.args, levels); !path.empty(); path.pop_back()) {
        counts[path] += fit_of(name);
        if (++nodes[path] > 1 && path.size() == levels.size()) single_nodes = false;
      }
    }
    std::string wanted;
    std::tuple<double, std::vector<int64_t>, Path, std::string> best;
    for (const auto& [name, node] : naive_.nodes) {
      if (fit_of(name) == 0) continue;
      NodeId id = world_.node_id(name);
      double score = 0;
      fits.score(pod_class, mode, {&id, 1}, {&score, 1});
      Path path = path_of(node.args, levels);
      std::vector<int64_t> around(levels.size(), 0);
      for (Path at = path; !at.empty(); at.pop_back()) {
        if (at.size() == levels.size() && single_nodes) continue;
        around[levels.size() - at.size()] = counts[at];
      }
      // Nodes that lack a label come after those that have it.
      Path order = path;
      order.resize(levels.size(), "\x7f");
      std::tuple key(-score, around, order, name);
      if (!wanted.empty() && key >= best) continue;
      wanted = name;
      best = key;
    }
    NodeId node = fits.best_node(pod_class, mode);
    std::string found = node.valid() ? std::string(world_.cluster.nodes()[node].name) : "";
    if (found != wanted) differ("ranking " + found, wanted);
  }

  // Decisions come true, or the cluster goes its own way.
  void finish_session() {
    note("commit");
    bool come_true = bytes_.below(4) > 0;
    session_->commit("driver");
    std::map<std::string, NaivePod> decided;
    for (const Decision& made : session_->decisions()) {
      const std::string& name = world_.cluster.pods()[made.pod].pod.name;
      decided[name] = naive_.pods[name];
    }
    if (!come_true) return;
    for (auto& [name, pod] : decided) {
      if (pod.status == PodStatus::Bound) {
        pod.args.node = pod.node;
        pod.args.status = PodStatus::Running;
        pod.args.gpu_groups.clear();
        for (int device : pod.devices) pod.args.gpu_groups.push_back(std::to_string(device));
      } else if (pod.status == PodStatus::Evicted && !pod.args.node.empty()) {
        pod.args.status = PodStatus::Releasing;
      } else {
        continue;
      }
      store(name, std::move(pod));
    }
  }

  // --- comparing

  void note(const std::string& operation) {
    ++result_.operations;
    story_.push_back(operation);
    if (story_.size() > 200) story_.erase(story_.begin(), story_.begin() + 100);
  }

  void differ(const std::string& found, const std::string& wanted) {
    if (result_.difference) return;
    std::ostringstream text;
    for (const std::string& line : story_) text << line << '\n';
    text << "production: " << found << "\nnaive model: " << wanted << '\n';
    result_.difference = text.str();
  }

  void compare() {
    for (const auto& [name, node] : naive_.nodes) compare_node(name, node);
    for (const auto& [name, pod] : naive_.pods) compare_pod(name, pod);
    for (uint32_t i = 0; i < kGangs; ++i) {
      GangId gang = world_.gang_id(gang_name(i));
      if (!gang.valid()) continue;
      const GangCounts& counts = session_->snapshot().gang_counts()[gang];
      NaiveGang wanted = naive_.count(gang_name(i));
      if (counts.placed != wanted.placed || counts.waiting != wanted.waiting) {
        differ(gang_name(i) + " placed " + std::to_string(counts.placed) + " waiting " +
                   std::to_string(counts.waiting),
               std::to_string(wanted.placed) + " " + std::to_string(wanted.waiting));
      }
    }
  }

  void compare_node(const std::string& name, const NaiveNode& node) {
    const NodeState& state = session_->snapshot().state();
    const ResourceTable& resources = world_.cluster.vocabulary().resources;
    NodeId id = world_.node_id(name);
    auto check = [&](const char* what, const IndexedVector<ResourceId, NodeState::Column>& columns,
                     const Amounts& wanted) {
      for (uint32_t i = 0; i < columns.size(); ++i) {
        auto at = wanted.find(resources.name(ResourceId(i)));
        int64_t amount = at == wanted.end() ? 0 : at->second;
        int64_t found = columns[ResourceId(i)][id];
        if (found == amount) continue;
        differ(
            name + " " + what + " " + resources.name(ResourceId(i)) + " " + std::to_string(found),
            std::to_string(amount));
      }
    };
    check("now", state.now, node.now);
    check("future", state.future, node.future);
    auto same = [](std::span<const int64_t> found, const std::vector<int64_t>& wanted) {
      return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
    };
    if (!same(state.devices(id, FitMode::Now), node.device_now)) differ(name, "devices now");
    if (!same(state.devices(id, FitMode::Future), node.device_future)) {
      differ(name, "devices in future");
    }
    bool moves = node.now != node.future || node.device_now != node.device_future;
    if (moves && !session_->fits().anything_leaving()) differ("nothing leaves", name);
  }

  void compare_pod(const std::string& name, const NaivePod& pod) {
    PodId id = world_.pod_id(name);
    PodState state = session_->snapshot().pod(id);
    std::string node = state.node.valid() ? world_.cluster.nodes()[state.node].name : "";
    std::string wanted = naive_.nodes.contains(pod.node) ? pod.node : "";
    if (state.status != pod.status || node != wanted) {
      differ(name + " " + std::string(to_string(state.status)) + " on " + node,
             std::string(to_string(pod.status)) + " on " + wanted);
    }
    bool there =
        !wanted.empty() && pod.status != PodStatus::Succeeded && pod.status != PodStatus::Failed;
    if (there && devices_of(id) != pod.devices) differ(name, "its devices");
  }

  ByteStream bytes_;
  DriverResult result_;
  World world_;
  NaiveModel naive_;
  std::map<std::string, std::vector<std::string>> levels_;  // of each topology
  Session* session_ = nullptr;
  std::vector<Saved> saved_;
  std::vector<std::string> story_;
};

}  // namespace

DriverResult drive(std::span<const uint8_t> bytes) { return Driver(bytes).run(); }

}  // namespace trellis::oracle
