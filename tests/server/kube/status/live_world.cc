#include "tests/server/kube/status/live_world.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/manifest/manifest.h"
#include "tests/support/incremental_source.h"

namespace trellis::test {
namespace {

constexpr const char* kSpace = "default";

struct LiveKind {
  const char* kind;
  const char* group;
  const char* path;
  bool has_name_space;
};

constexpr LiveKind kLiveKinds[] = {
    {"Node", "", "/api/v1/nodes", false},
    {"Pod", "", "/api/v1/namespaces/default/pods", true},
    {"PodTemplate", "", "/api/v1/namespaces/default/podtemplates", true},
    {"ProvisioningRequest", "autoscaling.x-k8s.io",
     "/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests", true},
    {"Job", "batch", "/apis/batch/v1/namespaces/default/jobs", true},
    {"JobSet", "jobset.x-k8s.io", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets",
     true},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io",
     "/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets", true},
    {"PyTorchJob", "kubeflow.org", "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs", true},
    {"RayCluster", "ray.io", "/apis/ray.io/v1/namespaces/default/rayclusters", true},
    {"Topology", "kueue.x-k8s.io", "/apis/kueue.x-k8s.io/v1beta2/topologies", false},
    {"PodGroup", "scheduling.run.ai",
     "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups", true},
    {"CorePodGroup", "scheduling.k8s.io",
     "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups", true},
    {"OldPodGroup", "scheduling.k8s.io",
     "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups", true},
    {"CompositePodGroup", "scheduling.k8s.io",
     "/apis/scheduling.k8s.io/v1alpha3/namespaces/default/compositepodgroups", true},
    {"Queue", "scheduling.run.ai", "/apis/scheduling.run.ai/v2/queues", false},
    {"ResourceFlavor", "kueue.x-k8s.io", "/apis/kueue.x-k8s.io/v1beta2/resourceflavors", false},
    {"ClusterQueue", "kueue.x-k8s.io", "/apis/kueue.x-k8s.io/v1beta2/clusterqueues", false},
    {"LocalQueue", "kueue.x-k8s.io", "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues",
     true},
    {"Workload", "kueue.x-k8s.io", "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads",
     true},
};

const LiveKind& live_kind(std::string_view kind) {
  for (const LiveKind& one : kLiveKinds) {
    if (one.kind == kind) return one;
  }
  ADD_FAILURE() << "unknown kind " << kind;
  return kLiveKinds[0];
}

std::string path_of(std::string_view kind, std::string_view name) {
  return std::string(live_kind(kind).path) + "/" + std::string(name);
}

// The kind, as tests name it: Kubernetes' own PodGroup has a name for each of its paths.
std::string kind_of(const Json& object) {
  std::string kind = text_at(object, "kind");
  std::string version = text_at(object, "apiVersion");
  if (kind != "PodGroup" || !version.starts_with("scheduling.k8s.io/")) return kind;
  return version.ends_with("v1alpha2") ? "OldPodGroup" : "CorePodGroup";
}

// Whether the API server has a Job's template changed: not while pods may have been made of it.
bool may_change_template(const Json& job) {
  Json status = job.value("status", Json::object());
  bool is_suspended = job["spec"].value("suspend", false);
  return is_suspended && !status.contains("startTime") && status.value("active", 0) == 0;
}

bool is_invalid(const Json& before, const Json& after) {
  return text_at(before, "kind") == "Job" && !may_change_template(before) &&
         before["spec"]["template"] != after["spec"]["template"];
}

// Conditions are merged by their type, everything else as JSON merges it.
void merge_strategically(Json& object, Json patch) {
  Json conditions;
  if (auto status = patch.find("status"); status != patch.end() && status->contains("conditions")) {
    conditions = (*status)["conditions"];
    status->erase("conditions");
  }
  object.merge_patch(patch);
  for (const Json& one : conditions) {
    Json& list = object["status"]["conditions"];
    if (!list.is_array()) list = Json::array();
    auto known = std::find_if(list.begin(), list.end(),
                              [&](const Json& other) { return other["type"] == one["type"]; });
    if (known == list.end()) {
      list.push_back(one);
    } else {
      known->merge_patch(one);
    }
  }
}

}  // namespace

class LiveWorld::Source : public IncrementalSource {
 public:
  explicit Source(const std::map<std::string, Json>& objects)
      : IncrementalSource(ExecutionMode::Assume), objects_(objects) {}

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override {
    std::optional<SourceUpdate> update = IncrementalSource::poll(vocabulary);
    if (!update || !update->diagnostics) return update;
    for (const Diagnostic& diagnostic : *update->diagnostics) {
      if (diagnostic.severity == Severity::Error) ADD_FAILURE() << to_string(diagnostic);
    }
    return update;
  }

 protected:
  Texts texts() const override {
    Texts texts;
    for (const auto& [path, object] : objects_) {
      const LiveKind& kind = live_kind(kind_of(object));
      std::string name(kind.path);
      name = name.substr(name.rfind('/') + 1);
      if (std::string group = kind.group; !group.empty()) name += "." + group;
      if (kind.has_name_space) name += std::string("/") + kSpace;
      texts[name + path.substr(path.rfind('/'))] = one_line(object);
    }
    return texts;
  }

 private:
  const std::map<std::string, Json>& objects_;
};

LiveWorld::LiveWorld(const Config& config) {
  runner_ = std::make_unique<CycleRunner>(std::make_unique<Source>(objects_), config);
  observer_ = std::make_unique<Observer>(config);
}

LiveWorld::~LiveWorld() = default;

void LiveWorld::store(Json object) {
  std::string kind = kind_of(object);
  Json& metadata = object_at(object, "metadata");
  if (live_kind(kind).has_name_space) metadata["namespace"] = kSpace;
  std::string name = text_at(metadata, "name");
  if (!metadata.contains("uid")) metadata["uid"] = "uid-" + name;
  metadata["resourceVersion"] = std::to_string(++version_);
  objects_[path_of(kind, name)] = std::move(object);
}

void LiveWorld::put(const std::string& yaml) {
  Vocabulary vocabulary;
  ReadOptions options;
  options.keep_raw = true;
  options.make_pods = false;
  for (const RawObject& raw : read_manifest_text("put.yaml", yaml, vocabulary, options).raw) {
    store(parse_object(raw.json));
  }
}

void LiveWorld::edit(const std::string& kind, const std::string& name,
                     const std::function<void(Json&)>& by) {
  Json changed = object(kind, name);
  by(changed);
  store(std::move(changed));
}

void LiveWorld::remove(const std::string& kind, const std::string& name) {
  objects_.erase(path_of(kind, name));
}

bool LiveWorld::has(const std::string& kind, const std::string& name) const {
  return objects_.contains(path_of(kind, name));
}

Json LiveWorld::object(const std::string& kind, const std::string& name) const {
  return objects_.at(path_of(kind, name));
}

void LiveWorld::cycle() {
  now_ += kSecondUs;
  runner_->poll();
  if (auto finished = runner_->run(now_)) observer_->publish(finished, runner_->take_input());
  EXPECT_EQ(runner_->failure(), "");
}

int LiveWorld::take(const ApiRequest& request) {
  if (request.method == "DELETE") return objects_.erase(request.target) > 0 ? 200 : 404;
  Json body = parse_object(request.body);
  if (request.method == "POST") {
    if (has(text_at(body, "kind"), text_at(body["metadata"], "name"))) return 409;
    body["metadata"]["uid"] = "uid-" + text_at(body["metadata"], "name");
    store(std::move(body));
    return 201;
  }
  std::string path = request.target;
  bool apart = path.ends_with("/status");
  if (apart) path.resize(path.size() - std::string("/status").size());
  auto found = objects_.find(path);
  if (found == objects_.end()) return 404;
  Json object = found->second;
  for (const char* key : {"uid", "resourceVersion"}) {
    const Json& metadata = body["metadata"];
    if (metadata.contains(key) && metadata[key] != object["metadata"][key]) return 409;
  }
  // Where the status is apart, the other part of a patch is ignored.
  if (apart) body = {{"status", body["status"]}};
  if (!apart && body.contains("status")) body.erase("status");
  if (request.content_type == kStrategicPatch) {
    merge_strategically(object, body);
  } else {
    object.merge_patch(body);
  }
  if (is_invalid(found->second, object)) return 422;
  store(std::move(object));
  return 200;
}

void LiveWorld::ask(const std::function<void(const StatusView&, TouchedSince&)>& question) {
  observer_->ask_what_changed([&](Observer::View view, TouchedSince& touched) {
    question({.cluster = view.engine.cluster(),
              .record = *view.cycle.record,
              .notes = view.engine.workload_notes(),
              .session = view.engine.scheduler().session(),
              .owners = {},
              .objects = *this,
              .now = now_},
             touched);
  });
}

std::vector<std::string> LiveWorld::run(StatusBook& book, const Answer& answer, Looking looking) {
  std::vector<std::string> done;
  ask([&](const StatusView& seen, TouchedSince& touched) {
    if (looking == Looking::Yes) {
      // What another one took is not known here.
      bool is_next = std::exchange(looked_, &book) == &book;
      Touched since = touched.take();
      book.look(seen, is_next ? since : Touched());
    }
    std::vector<std::pair<WriteKey, ApiAnswer>> answers;
    while (auto write = book.next_write(seen)) {
      done.push_back(write->request.method + " " + write->request.target);
      int status = answer ? answer(write->request) : 0;
      if (status == 0) status = take(write->request);
      book.done(write->key, {.status = status}, now_);
    }
  });
  return done;
}

std::vector<std::string> LiveWorld::write(StatusBook& book, const Answer& answer) {
  return run(book, answer, Looking::Yes);
}

std::vector<std::string> LiveWorld::send(StatusBook& book, const Answer& answer) {
  return run(book, answer, Looking::No);
}

std::vector<std::string> LiveWorld::events(StatusBook& book) {
  std::vector<std::string> sent;
  while (auto write = book.next_event(now_)) {
    Json body = parse_object(write->request.body);
    if (write->request.method == "PATCH") {
      sent.push_back("again " + std::to_string(body["series"]["count"].get<int64_t>()));
    } else {
      sent.push_back(text_at(body, "reason") + " " + text_at(body["regarding"], "kind") + "/" +
                     text_at(body["regarding"], "name") + ": " + text_at(body, "note"));
    }
    book.done(write->ticket, {.status = 201}, now_);
  }
  return sent;
}

std::optional<LiveObject> LiveWorld::find(std::string_view group, std::string_view kind,
                                          std::string_view, std::string_view name) const {
  auto found = objects_.find(path_of(kind, name));
  if (group == "scheduling.k8s.io" && kind == "PodGroup") {
    found = objects_.find(path_of("CorePodGroup", name));
    if (found == objects_.end()) found = objects_.find(path_of("OldPodGroup", name));
  } else if (live_kind(kind).group != group) {
    return std::nullopt;
  }
  if (found == objects_.end()) return std::nullopt;
  return LiveObject{.path = found->first, .has_status = true, .text = one_line(found->second)};
}

std::string LiveWorld::collection(std::string_view, std::string_view kind, std::string_view) const {
  return live_kind(kind).path;
}

LiveObjects::Named LiveWorld::list(std::string_view, std::string_view kind) const {
  Named named;
  for (const auto& [path, object] : objects_) {
    if (!holds_text(object, "kind", kind)) continue;
    std::string name = text_at(object["metadata"], "name");
    if (live_kind(kind).has_name_space) name = std::string(kSpace) + "/" + name;
    named[name] = StoredText(one_line(object));
  }
  return named;
}

}  // namespace trellis::test
