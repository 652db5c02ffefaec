#include "actions/defragmentation/room_gauge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "session/explain/room.h"

namespace trellis {
namespace {

std::vector<NodeId> live_nodes(const Cluster& cluster) {
  std::vector<NodeId> nodes;
  for (uint32_t i = 0; i < cluster.nodes().size(); ++i) {
    if (cluster.alive(NodeId(i))) nodes.emplace_back(i);
  }
  return nodes;
}

}  // namespace

RoomGauge::RoomGauge(Session& session) : session_(session) {
  for (const GpuKind& kind : gpu_mix(session)) add(kind);
  const Cluster& cluster = session.cluster();
  std::vector<TopologyId> topologies;
  for (uint32_t i = 0; i < cluster.topologies().size(); ++i) {
    if (cluster.alive(TopologyId(i))) topologies.emplace_back(i);
  }
  std::ranges::sort(topologies, {}, [&](TopologyId id) -> const std::string& {
    return cluster.topologies()[id].name;
  });
  for (TopologyId topology : topologies) {
    const TopologyTree& tree = session.snapshot().trees()[topology];
    for (int level = 0; level < tree.level_count(); ++level) {
      IdRange domains = tree.level(level);
      levels_.push_back({topology, level, domains.first, LargestOf(domains.size())});
    }
  }
}

void RoomGauge::add(const GpuKind& kind) {
  std::vector<PodClassId> classes;
  for (const GpuClass& of_kind : kind.classes) classes.push_back(of_kind.pod_class);
  auto shares_devices = [&](PodClassId pod_class) {
    return session_.cluster().pod_classes()[pod_class].devices && !session_.fits().exact(pod_class);
  };
  if (std::ranges::any_of(classes, shares_devices)) return;
  pods_ += kind.pods;
  auto known = std::ranges::find(kinds_, classes, &Kind::classes);
  if (known != kinds_.end()) {
    known->pods += kind.pods;
  } else {
    kinds_.push_back({std::move(classes), kind.resource, kind.gpu_milli, kind.pods});
  }
}

int64_t RoomGauge::worth() {
  follow();
  int64_t largest = 0;
  for (const Level& level : levels_) largest += level.largest.largest();
  return largest * pods_ + all_usable_;
}

DomainId RoomGauge::best_domain(size_t level) const {
  const Level& of = levels_[level];
  return DomainId(of.first + static_cast<uint32_t>(of.largest.index()));
}

RoomReading RoomGauge::read() {
  follow();
  RoomReading reading;
  for (size_t i = 0; i < levels_.size(); ++i) {
    reading.levels.push_back(
        {levels_[i].topology, levels_[i].level, best_domain(i), levels_[i].largest.largest()});
  }
  reading.free_milli = all_free_;
  reading.usable_milli = pods_ > 0 ? all_usable_ / pods_ : 0;
  return reading;
}

void RoomGauge::follow() {
  const ChangeLog& log = session_.snapshot().changes();
  std::optional<std::span<const NodeId>> changed;
  if (known_) changed = log.since(read_to_);
  std::vector<NodeId> nodes;
  if (changed) {
    nodes.assign(changed->begin(), changed->end());
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  } else {
    nodes = live_nodes(session_.cluster());
    usable_.assign(session_.cluster().nodes().size(), 0);
    free_.assign(session_.cluster().nodes().size(), 0);
    all_usable_ = 0;
    all_free_ = 0;
  }
  known_ = true;
  read_to_ = log.end();
  if (nodes.empty()) return;
  weigh_nodes(nodes);
  for (Level& level : levels_) weigh_domains(level, nodes, !changed);
}

void RoomGauge::weigh_nodes(const std::vector<NodeId>& nodes) {
  const NodeState& state = session_.snapshot().state();
  std::vector<std::pair<int64_t, int64_t>> free(nodes.size());  // of kGpu and of kAmdGpu
  std::vector<int64_t> usable(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (is_closed(session_.cluster().nodes()[nodes[i]])) continue;
    free[i] = {std::max<int64_t>(0, free_amount(state, kGpu, nodes[i], FitMode::Future)),
               std::max<int64_t>(0, free_amount(state, kAmdGpu, nodes[i], FitMode::Future))};
  }
  std::vector<int64_t> most(nodes.size());
  for (const Kind& kind : kinds_) {
    std::ranges::fill(most, 0);
    for (PodClassId pod_class : kind.classes) {
      const auto& fits = session_.fits().node_fits(pod_class, FitMode::Future);
      for (size_t i = 0; i < nodes.size(); ++i) {
        most[i] = std::max(most[i], fits[nodes[i]] * kind.gpu_milli);
      }
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      int64_t there = kind.resource == kGpu ? free[i].first : free[i].second;
      usable[i] += kind.pods * std::min(there, most[i]);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t all = free[i].first + free[i].second;
    all_usable_ += usable[i] - usable_[nodes[i]];
    all_free_ += all - free_[nodes[i]];
    usable_[nodes[i]] = usable[i];
    free_[nodes[i]] = all;
  }
}

// `all`: the domains were never weighed.
void RoomGauge::weigh_domains(Level& level, const std::vector<NodeId>& nodes, bool all) {
  const TopologyTree& tree = session_.snapshot().trees()[level.topology];
  std::vector<DomainId> domains;
  if (all) {
    IdRange range = tree.level(level.level);
    for (uint32_t i = range.first; i < range.last; ++i) domains.emplace_back(i);
  } else {
    for (NodeId node : nodes) {
      if (!tree.contains(node)) continue;
      DomainId domain = tree.ancestor(tree.domain_of(node), level.level);
      if (domain.valid()) domains.push_back(domain);
    }
    std::ranges::sort(domains);
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  }
  std::vector<int64_t> values = value_of(level, domains);
  for (size_t i = 0; i < domains.size(); ++i) {
    level.largest.set(domains[i].value - level.first, values[i]);
  }
}

std::vector<int64_t> RoomGauge::value_of(const Level& level, const std::vector<DomainId>& domains) {
  std::vector<int64_t> values(domains.size());
  for (const Kind& kind : kinds_) {
    for (PodClassId pod_class : kind.classes) {
      const DomainCounts& counts =
          session_.fits().domain_counts(level.topology, pod_class, FitMode::Future);
      for (size_t i = 0; i < domains.size(); ++i) {
        values[i] = std::max(values[i], saturating_product(counts[domains[i]], kind.gpu_milli));
      }
    }
  }
  return values;
}

}  // namespace trellis
