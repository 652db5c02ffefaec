#include "server/kube/status/node_requests.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "server/document/json_objects.h"
#include "server/kube/watch/owner_reference.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::string_view kRequestGroup = "autoscaling.x-k8s.io";
constexpr std::string_view kRequestKind = "ProvisioningRequest";

// Equal waiting pods of a gang.
struct TemplatePods {
  PodClassId pod_class;
  std::vector<PodId> pods;  // by name
};

bool waits_for_a_node(const Cluster& cluster, const CycleRecord& record, PodId pod) {
  return cluster.pods()[pod].pod.hold == PodHold::None && record.pods.contains(pod) &&
         record.pods[pod].status == PodStatus::Pending;
}

std::string short_hash(const std::string& hashed) {
  constexpr size_t kLength = 8;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(hashed.data()), hashed.size(), digest.data());
  std::string text;
  for (size_t i = 0; i < kLength; ++i) {
    unsigned char byte = digest[i / 2];
    text += kDigits[i % 2 == 0 ? byte >> 4 : byte & 15];
  }
  return text;
}

Json reference_to(const Json& object, const char* api_version, const char* kind) {
  const Json metadata = object.value("metadata", Json::object());
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"name", text_at(metadata, "name")},
          {"uid", text_at(metadata, "uid")}};
}

// The pod's controller, else the pod itself.
Json owner_of_pods(const Json& pod) {
  Json owner = owner_reference(pod);
  if (!owner.is_object()) return reference_to(pod, "v1", "Pod");
  Json reference = Json::object();
  for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
    reference[key] = text_at(owner, key);
  }
  return reference;
}

class NodeRequestWrites {
 public:
  NodeRequestWrites(const NodeRequestView& view, const NodeRequests& settings)
      : view_(view),
        cluster_(view.cluster),
        strings_(view.cluster.vocabulary().strings),
        after_us_(settings.after_us),
        class_name_(full_class_name(settings.provisioning_class)) {}

  std::vector<ApiRequest> run() {
    for (uint32_t i = 0; i < cluster_.node_requests().size(); ++i) {
      if (cluster_.alive(NodeRequestId(i))) review(cluster_.node_requests()[NodeRequestId(i)]);
    }
    if (class_name_.empty()) return std::move(writes_);
    for (GangId gang : first_of_queues()) ask_for(gang);
    return std::move(writes_);
  }

 private:
  static constexpr size_t kLongestGang = 200;

  bool is_pending(GangId gang) const {
    return cluster_.alive(gang) && view_.record.gangs.contains(gang) &&
           view_.record.gangs[gang].status == GangStatus::Pending;
  }

  bool waits_for_nodes(GangId gang) const {
    if (!is_pending(gang) || !cluster_.gangs()[gang].calls_for_nodes) return false;
    const std::vector<Reason>& reasons = view_.record.gangs[gang].reasons;
    return !reasons.empty() && more_nodes_help(reasons.front().code) &&
           may_have_node_request(cluster_, view_.record, gang);
  }

  // The pods that wait for nodes, by class, in the order of the classes' first pods.
  std::vector<TemplatePods> asked_pods(GangId gang) const {
    std::vector<PodId> waiting;
    for (PodId pod : cluster_.pods_of(gang)) {
      if (waits_for_a_node(cluster_, view_.record, pod)) waiting.push_back(pod);
    }
    std::ranges::sort(waiting, {},
                      [&](PodId pod) -> std::string_view { return cluster_.pods()[pod].pod.name; });
    std::vector<TemplatePods> asked;
    std::map<PodClassId, size_t> known;
    for (PodId pod : waiting) {
      PodClassId pod_class = cluster_.pods()[pod].pod_class;
      auto [at, is_new] = known.try_emplace(pod_class, asked.size());
      if (is_new) asked.push_back({pod_class, {}});
      asked[at->second].pods.push_back(pod);
    }
    return asked;
  }

  // What is hashed is what an autoscaler has to know: how many pods of which amounts, and where.
  std::string name_for(GangId gang, const std::vector<TemplatePods>& asked) const {
    const ResourceTable& resources = cluster_.vocabulary().resources;
    std::string hashed = class_name_;
    for (const TemplatePods& set : asked) {
      const PodSpec& spec = cluster_.pod_classes()[set.pod_class];
      hashed += "\n" + std::to_string(set.pods.size());
      std::map<std::string, std::string> parts;
      for (const ResourceAmount& item : spec.requests.items()) {
        parts[resources.name(item.resource)] = std::to_string(item.amount);
      }
      for (const Label& label : spec.node_selector) {
        parts["=" + std::string(strings_.view(label.key))] = strings_.view(label.value);
      }
      for (const auto& [key, value] : parts) hashed.append(" ").append(key).append(":") += value;
    }
    std::string name = cluster_.gangs()[gang].name;
    name.resize(std::min(name.size(), kLongestGang));
    return "trellis-" + name + "-" + short_hash(hashed);
  }

  GangId gang_of(const NodeRequest& request) const {
    std::string_view key = strings_.view(request.gang);
    size_t slash = key.find('/');
    if (slash == std::string_view::npos) return {};
    return cluster_.find_gang(key.substr(0, slash), key.substr(slash + 1));
  }

  void review(const NodeRequest& request) {
    GangId gang = gang_of(request);
    bool over = request.state == NodeRequestState::BookingExpired ||
                request.state == NodeRequestState::CapacityRevoked;
    bool stays = !over && gang.valid() && is_pending(gang) &&
                 request.name == name_for(gang, asked_pods(gang));
    if (!stays) remove(request);
  }

  void remove(const NodeRequest& request) {
    std::string name_space(strings_.view(request.name_space));
    std::optional<LiveObject> live =
        view_.objects.find(kRequestGroup, kRequestKind, name_space, request.name);
    if (!live) return;
    const Json::json_pointer sets("/spec/podSets");
    Json object = parse_object(live->text);
    if (object.is_object() && object.contains(sets)) {
      for (const Json& set : object[sets]) {
        std::string name = text_at(set.value("podTemplateRef", Json::object()), "name");
        if (name.empty()) continue;
        writes_.push_back({.method = "DELETE", .target = templates_path(name_space) + "/" + name});
      }
    }
    writes_.push_back({.method = "DELETE", .target = live->path});
  }

  static std::string templates_path(const std::string& name_space) {
    return "/api/v1/namespaces/" + name_space + "/podtemplates";
  }

  TimeUs waits_since(GangId gang, const std::vector<TemplatePods>& asked) const {
    TimeUs latest = cluster_.gangs()[gang].created;
    for (const TemplatePods& set : asked) {
      for (PodId pod : set.pods) latest = std::max(latest, cluster_.pods()[pod].pod.created);
    }
    return latest;
  }

  // Which of two gangs of a queue is asked for: the order in which gangs are placed, as far as it
  // depends on the gangs alone.
  bool goes_before(GangId a, GangId b) const {
    auto key = [&](GangId id) {
      const Gang& gang = cluster_.gangs()[id];
      return std::tuple(-int64_t{gang.priority}, gang.created, strings_.view(gang.name_space),
                        std::string_view(gang.name));
    };
    return key(a) < key(b);
  }

  // By namespace and name.
  std::vector<GangId> first_of_queues() const {
    std::map<StrId, GangId> first;
    for (GangId gang : cluster_.gangs_by_name()) {
      if (!waits_for_nodes(gang)) continue;
      const NodeRequest* request = cluster_.node_request_of(gang);
      if (request != nullptr && request->state == NodeRequestState::Failed) continue;
      const Maybe<StrId>& queue = cluster_.gangs()[gang].queue;
      auto [at, is_new] = first.try_emplace(queue.valid() ? *queue : StrId(), gang);
      if (!is_new && goes_before(gang, at->second)) at->second = gang;
    }
    std::vector<GangId> gangs;
    for (GangId gang : cluster_.gangs_by_name()) {
      const Maybe<StrId>& queue = cluster_.gangs()[gang].queue;
      auto found = first.find(queue.valid() ? *queue : StrId());
      if (found != first.end() && found->second == gang) gangs.push_back(gang);
    }
    return gangs;
  }

  void ask_for(GangId gang) {
    if (cluster_.node_request_of(gang) != nullptr) return;  // it stays, or it is deleted first
    std::vector<TemplatePods> asked = asked_pods(gang);
    if (asked.size() > kMostPodSets) return;
    if (view_.now < waits_since(gang, asked) + after_us_) return;
    std::string name_space(strings_.view(cluster_.gangs()[gang].name_space));
    std::string path = view_.objects.collection(kRequestGroup, kRequestKind, name_space);
    if (path.empty()) return;
    make(gang, asked, name_space, path);
  }

  void make(GangId gang, const std::vector<TemplatePods>& asked, const std::string& name_space,
            const std::string& path) {
    std::string name = name_for(gang, asked);
    if (view_.objects.find(kRequestGroup, kRequestKind, name_space, name)) return;
    std::vector<Json> pods;
    for (const TemplatePods& set : asked) {
      auto live =
          view_.objects.find("", "Pod", name_space, cluster_.pods()[set.pods.front()].pod.name);
      Json pod = live ? parse_object(live->text) : Json();
      if (!pod.is_object()) return;
      pods.push_back(std::move(pod));
    }
    Json metadata = {{"name", name},
                     {"namespace", name_space},
                     {"annotations", {{kForGangKey, std::string(cluster_.gangs()[gang].name)}}},
                     {"ownerReferences", Json::array({owner_of_pods(pods.front())})}};
    Json sets = Json::array();
    for (size_t i = 0; i < asked.size(); ++i) {
      Json named = metadata;
      named["name"] = name + "-" + std::to_string(i);
      sets.push_back(
          {{"podTemplateRef", {{"name", named["name"]}}}, {"count", asked[i].pods.size()}});
      writes_.push_back({"POST", templates_path(name_space),
                         one_line(pod_template(pods[i], std::move(named))), kJson});
    }
    Json request = {
        {"apiVersion", std::string(kRequestGroup) + "/" + version_in(path)},
        {"kind", kRequestKind},
        {"metadata", std::move(metadata)},
        {"spec", {{"provisioningClassName", class_name_}, {"podSets", std::move(sets)}}}};
    writes_.push_back({"POST", path, one_line(request), kJson});
  }

  // "v1" of "/apis/autoscaling.x-k8s.io/v1/namespaces/..."
  static std::string version_in(const std::string& path) {
    size_t begin = path.find(kRequestGroup) + kRequestGroup.size() + 1;
    return path.substr(begin, path.find('/', begin) - begin);
  }

  static Json pod_template(const Json& pod, Json metadata) {
    Json spec = pod.value("spec", Json::object());
    for (const char* key : {"nodeName", "ephemeralContainers", "schedulingGates"}) spec.erase(key);
    Json labels = pod.value("metadata", Json::object()).value("labels", Json::object());
    return {
        {"apiVersion", "v1"},
        {"kind", "PodTemplate"},
        {"metadata", std::move(metadata)},
        {"template", {{"metadata", {{"labels", std::move(labels)}}}, {"spec", std::move(spec)}}}};
  }

  const NodeRequestView& view_;
  const Cluster& cluster_;
  const StringTable& strings_;
  TimeUs after_us_;
  std::string class_name_;
  std::vector<ApiRequest> writes_;
};

}  // namespace

std::string full_class_name(const std::string& name) {
  bool own = !name.empty() && name.find('.') == std::string::npos;
  return own ? name + "." + std::string(kRequestGroup) : name;
}

bool may_have_node_request(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  constexpr int kFewest = 2;
  return std::ranges::count_if(cluster.pods_of(gang), [&](PodId pod) {
           return waits_for_a_node(cluster, record, pod);
         }) >= kFewest;
}

std::vector<ApiRequest> node_request_writes(const NodeRequestView& view,
                                            const NodeRequests& settings) {
  return NodeRequestWrites(view, settings).run();
}

}  // namespace trellis
