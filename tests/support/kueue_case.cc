#include "tests/support/kueue_case.h"

#include <algorithm>
#include <set>

#include "framework/node.h"
#include "server/document/quantity.h"

namespace trellis {
namespace {

using InputJson = KueueCase::Json;
using Amounts = KueueCase::Amounts;

int64_t amount(const std::string& resource, const std::string& text) {
  return parse_quantity(text, resource == "cpu" ? 3 : 0)->amount;
}

Amounts requests_of(const InputJson& spec) {
  Amounts sum = {{"pods", 1}};
  for (const InputJson& container : spec.at("containers")) {
    InputJson requests = container.value("/resources/requests"_json_pointer, InputJson::object());
    for (const auto& [resource, text] : requests.items()) {
      sum[resource] += amount(resource, text);
    }
  }
  return sum;
}

int64_t count_in(const Amounts& free, const Amounts& requests) {
  int64_t count = INT32_MAX;
  for (const auto& [resource, wanted] : requests) {
    if (wanted == 0) continue;
    auto found = free.find(resource);
    count = std::min(count, found == free.end() ? 0 : found->second / wanted);
  }
  return std::max<int64_t>(count, 0);
}

void subtract(Amounts& free, const Amounts& requests, int64_t count) {
  for (const auto& [resource, wanted] : requests) free[resource] -= wanted * count;
}

bool has_labels(const InputJson& labels, const InputJson& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!labels.contains(key) || labels.at(key) != value) return false;
  }
  return true;
}

bool usable(const InputJson& node) {
  if (node.value("/spec/unschedulable"_json_pointer, false)) return false;
  for (const InputJson& condition : node.at("status").at("conditions")) {
    if (condition.at("type") == "Ready") return condition.at("status") == "True";
  }
  return false;
}

}  // namespace

KueueCase::KueueCase(const Json& input) : input_(input) {
  for (const Json& level : object("Topology")->at("spec").at("levels")) {
    labels_.push_back(level.at("nodeLabel"));
    topology_.levels.push_back({strings_.intern(labels_.back()), StrId()});
  }
  read_nodes();
  read_running_pods();
  read_pod_sets();
}

const KueueCase::Json* KueueCase::object(const std::string& kind) const {
  for (const Json& object : input_.at("objects")) {
    if (object.at("kind") == kind) return &object;
  }
  return nullptr;
}

bool KueueCase::gate(const std::string& name, bool otherwise) const {
  return input_.value(Json::json_pointer("/config/featureGates/" + name), otherwise);
}

void KueueCase::read_nodes() {
  Json wanted = object("ResourceFlavor")->at("spec").value("nodeLabels", Json::object());
  IndexedVector<NodeId, Node> records;
  std::vector<NodeId> ids;
  for (const Json& object : input_.at("objects")) {
    if (object.at("kind") != "Node" || !usable(object)) continue;
    const Json& labels = object.at("metadata").at("labels");
    bool complete = std::all_of(labels_.begin(), labels_.end(),
                                [&](const auto& label) { return labels.contains(label); });
    if (!complete || !has_labels(labels, wanted)) continue;
    Node record;
    record.name = object.at("metadata").at("name");
    for (const auto& [key, value] : labels.items()) {
      record.labels.push_back({strings_.intern(key), strings_.intern(value.get<std::string>())});
    }
    std::sort(record.labels.begin(), record.labels.end());
    ids.push_back(records.push_back(std::move(record)));
    nodes_.push_back(&object);
  }
  tree_ = TopologyTree(topology_, ids, records, strings_);
  free_.resize(tree_.level(tree_.level_count() - 1).size());
  for (NodeId node : ids) {
    for (const auto& [resource, text] : nodes_[node]->at("status").at("allocatable").items()) {
      free_[tree_.domain_of(node)][resource] += amount(resource, text);
    }
  }
}

void KueueCase::read_running_pods() {
  for (const Json& object : input_.at("objects")) {
    if (object.at("kind") != "Pod") continue;
    std::string phase = object.value("/status/phase"_json_pointer, "");
    if (phase == "Succeeded" || phase == "Failed") continue;
    for (NodeId node : tree_.node_order()) {
      if (nodes_[node]->at("metadata").at("name") != object.at("spec").at("nodeName")) continue;
      subtract(free_[tree_.domain_of(node)], requests_of(object.at("spec")), 1);
    }
  }
}

void KueueCase::read_pod_sets() {
  for (const Json& pod_set : object("Workload")->at("spec").at("podSets")) {
    const Json& spec = pod_set.at("template").at("spec");
    pod_sets_.push_back({pod_set.at("name"), pod_set.at("count"), requests_of(spec), spec,
                         pod_set.value("topologyRequest", Json::object())});
  }
}

KueueCase::Json KueueCase::decide(KueuePlacer& placer) {
  Json decision = {{"admitted", true}, {"assignments", Json::object()}};
  std::set<std::string> done;
  for (const PodSet& pod_set : pod_sets_) {
    std::string group = pod_set.request.value("podSetGroupName", "");
    if (!group.empty() && !done.insert(group).second) continue;
    bool placed = group.empty() ? place(pod_set, nullptr, placer, decision)
                                : place_group(group, placer, decision);
    if (!placed) return decision;
  }
  return decision;
}

bool KueueCase::place_group(const std::string& group, KueuePlacer& placer, Json& decision) {
  std::vector<const PodSet*> members;
  for (const PodSet& pod_set : pod_sets_) {
    if (pod_set.request.value("podSetGroupName", "") == group) members.push_back(&pod_set);
  }
  if (members.size() == 1) return place(*members[0], nullptr, placer, decision);
  if (members[0]->count < members[1]->count) std::swap(members[0], members[1]);
  return place(*members[0], members[1], placer, decision);
}

bool KueueCase::place(const PodSet& workers, const PodSet* leader, KueuePlacer& placer,
                      Json& decision) {
  Normal normal = normalise(workers);
  if (!normal.error.empty()) {
    decision = {{"admitted", false}, {"reason", normal.error}};
    return false;
  }
  normal.request.segments = normal.segments;
  bool by_node = labels_.back() == kHostname;
  IndexedVector<NodeId, int32_t> fit(nodes_.size(), 0);
  std::vector<uint8_t> leaders(free_.size(), 0);
  std::vector<int64_t> beside(free_.size(), 0);
  std::vector<int64_t> affinity(free_.size(), 0);
  for (NodeId node : tree_.node_order()) {
    DomainId leaf = tree_.domain_of(node);
    if (tree_.nodes(leaf).front() != node) continue;
    if (by_node && !admits(*nodes_[node], workers)) continue;
    Amounts free = free_[leaf];
    fit[node] = static_cast<int32_t>(count_in(free, workers.requests));
    if (by_node) affinity[leaf.value] = liking(*nodes_[node], workers);
    if (leader != nullptr && count_in(free, leader->requests) > 0) {
      leaders[leaf.value] = 1;
      subtract(free, leader->requests, 1);
    }
    beside[leaf.value] = count_in(free, workers.requests);
  }
  DomainCounts counts(tree_, fit);
  KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
  if (leader != nullptr) leaves.leaders = leaders, leaves.beside = beside;
  if (gate("TASRespectNodeAffinityPreferred", false)) leaves.affinity = affinity;
  const KueueAnswer& answer = placer.place(tree_, normal.request, leaves);
  if (!answer.placed) {
    decision = {{"admitted", false}, {"reason", reason(answer, normal.request)}};
    return false;
  }
  decision["assignments"][workers.name] = assignment(answer.workers);
  for (const DomainPods& part : answer.workers) take(part.domain, workers, part.pods);
  if (leader != nullptr) {
    std::vector<DomainPods> one;
    if (answer.leader.valid()) one.push_back({answer.leader, 1, 0});
    decision["assignments"][leader->name] = assignment(one);
    if (answer.leader.valid()) take(answer.leader, *leader, 1);
  }
  return true;
}

KueueCase::Normal KueueCase::normalise(const PodSet& workers) const {
  const Json& asked = workers.request;
  Normal normal;
  KueueRequest& request = normal.request;
  request.pods = workers.count;
  request.gates = {gate("TASBalancedPlacement", false), gate("TASProfileMixed", true)};
  Json layers = asked.value("podsetSliceRequiredTopologyConstraints", Json::array());
  if (layers.empty() && asked.contains("podSetSliceRequiredTopology")) {
    if (!asked.contains("podSetSliceSize")) {
      normal.error = "slice topology requested, but slice size not provided";
      return normal;
    }
    layers.push_back({{"topology", asked.at("podSetSliceRequiredTopology")},
                      {"size", asked.at("podSetSliceSize")}});
  }
  std::string level = layers.empty() ? labels_.back() : labels_.front();
  request.mode = KueueMode::Unconstrained;
  if (asked.contains("preferred")) level = asked.at("preferred");
  if (asked.contains("preferred")) request.mode = KueueMode::Preferred;
  if (asked.contains("required")) level = asked.at("required");
  if (asked.contains("required")) request.mode = KueueMode::Required;
  request.level = level_of(level);
  if (request.level < 0) {
    normal.error = "no requested topology level: " + level;
    return normal;
  }
  for (const Json& layer : layers) {
    std::string topology = layer.at("topology");
    normal.segments.push_back({level_of(topology), layer.at("size")});
    if (normal.segments.back().level < 0) {
      normal.error = "no requested topology level for slices: " + topology;
    } else if (normal.segments.front().level < request.level) {
      normal.error = "podset slice topology " + topology + " is above the podset topology " + level;
    }
    if (!normal.error.empty()) return normal;
  }
  if (tree_.level(request.level).size() == 0) {
    normal.error = "no topology domains at level: " + level;
  }
  return normal;
}

int KueueCase::level_of(const std::string& label) const {
  auto found = std::find(labels_.begin(), labels_.end(), label);
  return found == labels_.end() ? -1 : static_cast<int>(found - labels_.begin());
}

// The cases hold no tolerations and no required affinity.
bool KueueCase::admits(const Json& node, const PodSet& workers) const {
  for (const Json& taint : node.value("/spec/taints"_json_pointer, Json::array())) {
    if (taint.at("effect") != "PreferNoSchedule") return false;
  }
  return has_labels(node.at("metadata").at("labels"),
                    workers.spec.value("nodeSelector", Json::object()));
}

int64_t KueueCase::liking(const Json& node, const PodSet& workers) const {
  const Json::json_pointer kTerms(
      "/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution");
  const Json& labels = node.at("metadata").at("labels");
  int64_t sum = 0;
  for (const Json& term : workers.spec.value(kTerms, Json::array())) {
    bool matches = true;
    for (const Json& wanted : term.at("preference").at("matchExpressions")) {
      const Json& values = wanted.at("values");  // the operator is In
      std::string value = labels.value(wanted.at("key").get<std::string>(), "");
      matches = matches && std::find(values.begin(), values.end(), value) != values.end();
    }
    if (matches) sum += term.at("weight").get<int64_t>();
  }
  return sum;
}

void KueueCase::take(DomainId leaf, const PodSet& pods, int64_t count) {
  subtract(free_[leaf], pods.requests, count);
}

KueueCase::Json KueueCase::assignment(const std::vector<DomainPods>& parts) const {
  Json domains = Json::array();
  for (const DomainPods& part : parts) {
    Json values = Json::array();
    for (StrId value : tree_.path(part.domain)) values.push_back(strings_.view(value));
    if (labels_.back() == kHostname) values = Json::array({values.back()});
    domains.push_back({{"values", values}, {"count", part.pods}});
  }
  return domains;
}

// Up to what Kueue says of left out nodes.
std::string KueueCase::reason(const KueueAnswer& answer, const KueueRequest& request) const {
  std::string text =
      "topology \"" + object("Topology")->at("metadata").at("name").get<std::string>();
  if (answer.fitted.size() == 1) {
    const KueueFitted& only = answer.fitted[0];
    bool by_pod = request.segments.empty() || request.segments.front().size == 1;
    std::string wanted = std::to_string(only.wanted) + (by_pod ? " pod(s)" : " slice(s)");
    if (only.fitted == 0) return text + "\" doesn't allow to fit any of " + wanted;
    return text + "\" allows to fit only " + std::to_string(only.fitted) + " out of " + wanted;
  }
  text += "\" doesn't allow to fit";
  for (const KueueFitted& layer : answer.fitted) {
    text += "; " + std::to_string(layer.fitted) + "/" + std::to_string(layer.wanted) +
            " slice(s) fit on level " + labels_[static_cast<size_t>(layer.level)];
  }
  return text;
}

}  // namespace trellis
