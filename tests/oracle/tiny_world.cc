#include "tests/oracle/tiny_world.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/oracle/truth.h"

namespace trellis::oracle {
namespace {

const std::vector<std::string> kLevels = {"zone", "rack", "node"};

// Draws one world.
class Maker {
 public:
  Maker(uint64_t seed, const TinyLimits& limits) : random_(seed), limits_(limits) {
    ragged_ = random_.chance(40);
    with_gpus_ = random_.chance(70);
    picky_ = random_.chance(40);  // taints, selectors, ports
    levels_.assign(kLevels.begin(), kLevels.begin() + 1 + random_.below(3));
    plan_.topologies.push_back({"t", levels_});
  }

  Plan make() {
    uint32_t nodes = 1 + random_.below(limits_.nodes);
    for (uint32_t i = 0; i < nodes; ++i) add_node(i);
    add_fillers();
    for (uint32_t i = 0; i < limits_.gangs; ++i) add_gang("g" + std::to_string(i));
    return plan_;
  }

 private:
  int64_t amount(std::initializer_list<int64_t> values) { return random_.pick(values_of(values)); }
  static std::vector<int64_t> values_of(std::initializer_list<int64_t> values) { return values; }

  void add_node(uint32_t index) {
    NodeArgs node;
    node.cpu = static_cast<double>(amount({1, 2, 3, 4, 8}));
    node.memory_gib = static_cast<double>(amount({4, 16, 64}));
    node.pods = amount({1, 2, 3, 110, 110, 110});
    if (with_gpus_) node.gpu = amount({0, 1, 2, 2, 3});
    if (random_.chance(10)) node.amd_gpu = amount({1, 2});
    if (random_.chance(15)) node.extended["example.com/nic"] = amount({1, 2});
    if (random_.chance(70)) node.gpu_memory_mib = amount({1000, 3000, 16384});
    for (const std::string& level : levels_) {
      if (ragged_ && random_.chance(15)) continue;
      bool single = level == "node" && random_.chance(70);
      node.labels[level] = level + std::to_string(single ? index : random_.below(2));
    }
    if (random_.chance(40)) node.labels["size"] = std::to_string(amount({1, 5, 9}));
    if (picky_) {
      if (random_.chance(20)) {
        TaintEffect effect = static_cast<TaintEffect>(random_.below(3));
        node.taints.push_back({"team", random_.chance(50) ? "red" : "blue", effect});
      }
      node.unschedulable = random_.chance(8);
      node.ready = !random_.chance(5);
    }
    plan_.nodes.push_back({"n" + std::to_string(index), node});
  }

  std::vector<RequirementArgs> requirements() {
    RequirementArgs wanted;
    wanted.key = random_.chance(60) ? "size" : random_.pick(levels_);
    wanted.op = static_cast<SelectorOp>(random_.below(6));
    bool compares = wanted.op == SelectorOp::Gt || wanted.op == SelectorOp::Lt;
    bool listed = wanted.op == SelectorOp::In || wanted.op == SelectorOp::NotIn;
    if (compares) wanted.values = {std::to_string(amount({1, 4, 5}))};
    if (listed) wanted.values = {wanted.key == "size" ? "5" : wanted.key + "0"};
    return {wanted};
  }

  void make_picky(PodArgs& pod) {
    if (random_.chance(25)) {
      TolerationArgs toleration;
      toleration.key = random_.chance(70) ? "team" : "";
      if (!toleration.key.empty() && random_.chance(50)) {
        toleration.op = Toleration::Op::Equal;
        toleration.value = "red";
      }
      toleration.any_effect = random_.chance(70);
      pod.tolerations.push_back(toleration);
    }
    if (random_.chance(15)) pod.selector["size"] = std::to_string(amount({1, 5}));
    if (random_.chance(20)) pod.affinity.push_back({.labels = requirements()});
    if (random_.chance(10)) {
      std::string name = "n" + std::to_string(random_.below(limits_.nodes));
      SelectorOp op = random_.chance(50) ? SelectorOp::In : SelectorOp::NotIn;
      pod.affinity.push_back({.fields = {{"metadata.name", op, {name}}}});
    }
    if (random_.chance(20)) {
      PortArgs port{.port = static_cast<int32_t>(amount({80, 81}))};
      if (random_.chance(30)) port.protocol = "UDP";
      if (random_.chance(30)) port.address = random_.chance(50) ? "10.0.0.1" : "10.0.0.2";
      pod.ports.push_back(port);
    }
  }

  PodArgs kind() {
    PodArgs pod;
    pod.cpu = static_cast<double>(amount({0, 1, 1, 2, 3}));
    pod.memory_gib = static_cast<double>(amount({0, 1, 4}));
    if (with_gpus_ && random_.chance(70)) {
      if (limits_.sharing && random_.chance(45)) {
        pod.share.milli = static_cast<int32_t>(amount({200, 300, 400, 500, 600, 1000}));
        if (random_.chance(20)) pod.share = {.milli = 0, .mib = amount({400, 500, 1500})};
        if (random_.chance(20)) pod.share.devices = 2;
      } else {
        pod.gpu = amount({1, 1, 2});
      }
    }
    if (random_.chance(5)) pod.amd_gpu = 1;
    if (random_.chance(5)) pod.extended["example.com/nic"] = 1;
    if (picky_) make_picky(pod);
    return pod;
  }

  // Puts the last pod of the plan somewhere it fits, as running or leaving.
  bool settle(bool may_leave) {
    Truth truth(plan_);
    Plan::PodPlan& pod = plan_.pods.back();
    for (int attempt = 0; attempt < 8; ++attempt) {
      const auto& node = random_.pick(plan_.nodes);
      std::vector<int> devices;
      for (int i = 0; i < static_cast<int>(node.args.gpu); ++i) devices.push_back(i);
      random_.shuffle(devices);
      size_t wanted = shares(pod.args) ? static_cast<size_t>(pod.args.share.devices) : 0;
      if (devices.size() < wanted) continue;
      devices.resize(wanted);
      if (!truth.put(pod.name, node.name, FitMode::Now, devices)) continue;
      pod.args.node = node.name;
      pod.args.status = PodStatus::Running;
      if (may_leave && limits_.leaving && random_.chance(50)) {
        pod.args.status = PodStatus::Releasing;
      } else if (random_.chance(20)) {
        pod.args.status = PodStatus::Bound;
      }
      for (int device : devices) pod.args.gpu_groups.push_back(std::to_string(device));
      return true;
    }
    return false;
  }

  void add_fillers() {
    plan_.gangs.push_back({"f", {.min_member = 0}});
    uint32_t fillers = random_.below(7);
    for (uint32_t i = 0; i < fillers; ++i) {
      plan_.pods.push_back({"f-" + std::to_string(i), "f", kind()});
      if (!settle(true)) plan_.pods.pop_back();
    }
  }

  void add_gang(const std::string& name) {
    GangArgs gang;
    int32_t pods = 1 + static_cast<int32_t>(random_.below(limits_.pods));
    gang.min_member = random_.chance(60) ? pods : 1 + static_cast<int32_t>(random_.below(pods));
    gang.priority = static_cast<int32_t>(amount({50, 50, 100}));
    gang.created = amount({1, 2, 3});
    if (random_.chance(85)) {
      gang.topology = "t";
      uint32_t depth = static_cast<uint32_t>(levels_.size());
      uint32_t required = random_.below(depth + 1);  // depth: none
      uint32_t preferred = random_.below(depth + 1);
      if (required < depth) gang.required = levels_[required];
      bool finer = required == depth || preferred >= required;
      if (preferred < depth && finer) gang.preferred = levels_[preferred];
    }
    plan_.gangs.push_back({name, gang});

    std::vector<PodArgs> kinds = {kind()};
    while (kinds.size() < 3 && random_.chance(40)) kinds.push_back(kind());
    bool partly_runs = random_.chance(25);
    for (int32_t i = 0; i < pods; ++i) {
      plan_.pods.push_back({name + "-" + std::to_string(i), name, random_.pick(kinds)});
      if (partly_runs && random_.chance(40)) settle(false);
    }
  }

  Random random_;
  TinyLimits limits_;
  bool ragged_ = false;
  bool with_gpus_ = false;
  bool picky_ = false;
  std::vector<std::string> levels_;
  Plan plan_;
};

}  // namespace

Plan tiny_world(uint64_t seed, const TinyLimits& limits) { return Maker(seed, limits).make(); }

}  // namespace trellis::oracle
