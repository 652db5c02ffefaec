#include "server/plan/plan_trial.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "framework/topology.h"

namespace trellis {
namespace {

// The last parts of a place, for names: `hall/b1/r3` -> `b1-r3`.
std::string short_place(std::string_view place) {
  size_t slash = place.find('/');
  std::string text(slash == std::string_view::npos ? "" : place.substr(slash + 1));
  for (char& c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain) c = '-';
  }
  return text;
}

bool any_begins(const std::vector<std::string>& sorted, const std::string& prefix) {
  auto at = std::ranges::lower_bound(sorted, prefix);
  return at != sorted.end() && at->starts_with(prefix);
}

}  // namespace

PlanTrial::PlanTrial(Engine& engine, const NodeMarket& market, TimeUs now)
    : engine_(engine), market_(market), now_(now), there_(market.offers.size()) {
  std::vector<std::string> names;
  for (NodeId id : engine.cluster().nodes_by_name()) {
    names.push_back(engine.cluster().nodes()[id].name);
  }
  std::set<std::string> used;
  for (size_t i = 0; i < market.offers.size(); ++i) {
    std::string prefix = market.shape_of(i).name + "-";
    std::string place = short_place(market.offers[i].place);
    if (!place.empty()) prefix += place + "-";
    while (any_begins(names, prefix) || !used.insert(prefix).second) prefix += "x-";
    prefixes_.push_back(std::move(prefix));
  }
}

std::string PlanTrial::node_name(size_t offer, int64_t number) const {
  return prefixes_[offer] + std::to_string(number + 1);
}

NodeId PlanTrial::node(size_t offer, int64_t number) const {
  return engine_.cluster().find_node(node_name(offer, number));
}

Node PlanTrial::make_node(size_t offer, int64_t number) const {
  Node node = market_.shape_of(offer).node;
  node.name = node_name(offer, number);
  node.labels = market_.offers[offer].labels;
  node.allocatable = market_.offers[offer].allocatable;
  StringTable& strings = engine_.vocabulary().strings;
  Label hostname{strings.intern(kHostname), strings.intern(node.name)};
  auto at = std::ranges::lower_bound(node.labels, hostname.key, {}, &Label::key);
  if (at == node.labels.end() || at->key != hostname.key) at = node.labels.insert(at, hostname);
  at->value = hostname.value;
  return node;
}

void PlanTrial::set_nodes(const NodeCounts& counts) {
  ObjectChanges changes;
  for (size_t i = 0; i < counts.size(); ++i) {
    for (int64_t number = counts[i]; number < there_[i]; ++number) {
      changes.removed.nodes.push_back(node_name(i, number));
    }
    for (int64_t number = there_[i]; number < counts[i]; ++number) {
      changes.upserts.nodes.push_back(make_node(i, number));
    }
  }
  there_ = counts;
  engine_.cluster().apply(std::move(changes));
}

std::shared_ptr<const CycleRecord> PlanTrial::run(const NodeCounts& counts) {
  set_nodes(counts);
  ++cycles_;
  return engine_.run(now_, 1);
}

}  // namespace trellis
