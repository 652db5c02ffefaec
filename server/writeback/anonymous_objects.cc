#include "server/writeback/anonymous_objects.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/json_objects.h"
#include "server/document/quantity.h"
#include "server/document/timestamp.h"
#include "server/objects/pod_resources.h"

namespace trellis {
namespace {

// Domains of keys and resources that are public.
constexpr std::array<std::string_view, 21> kPublicDomains = {
    "kubernetes.io",     "k8s.io",        "x-k8s.io",      "nvidia.com",   "amd.com",
    "intel.com",         "google.com",    "amazonaws.com", "k8s.aws",      "azure.com",
    "oraclecloud.com",   "kubeflow.org",  "ray.io",        "run.ai",       "kai.scheduler",
    "trellis.scheduler", "topograph.run", "volcano.sh",    "provider.com", "koordinator.sh",
    "cilium.io"};

// Keys without a domain that are read.
constexpr std::array<std::string_view, 12> kPublicKeys = {"app",
                                                          "gpu-fraction",
                                                          "gpu-fraction-num-devices",
                                                          "gpu-memory",
                                                          "job-name",
                                                          "job-role",
                                                          "mpi-job-role",
                                                          "pod-group-name",
                                                          "spark-role",
                                                          "pod-template-hash",
                                                          "priorityClassName",
                                                          "runai-gpu-group"};

// Words that have a meaning wherever they stand alone.
constexpr std::array<std::string_view, 15> kPublicWords = {"default",
                                                           "true",
                                                           "false",
                                                           "cpu",
                                                           "memory",
                                                           "pods",
                                                           "podgroups",
                                                           "storage",
                                                           "auto",
                                                           "ephemeral-storage",
                                                           "preemptible",
                                                           "non-preemptible",
                                                           "semi-preemptible",
                                                           "levels",
                                                           "metadata.name"};

// Words that are parts of names which Trellis makes, or of "namespace/name".
constexpr std::array<std::string_view, 3> kPublicParts = {"default", "headgroup", "raycluster"};

// Priority classes that exist without an object.
constexpr std::array<std::string_view, 6> kClasses = {"train",
                                                      "build",
                                                      "build-preemptible",
                                                      "inference",
                                                      "system-node-critical",
                                                      "system-cluster-critical"};

// Members whose text is a word of an API.
constexpr std::array<std::string_view, 14> kApiMembers = {"apiVersion",
                                                          "kind",
                                                          "phase",
                                                          "type",
                                                          "reason",
                                                          "operator",
                                                          "effect",
                                                          "policy",
                                                          "protocol",
                                                          "apiGroup",
                                                          "controllerName",
                                                          "group",
                                                          "bindingConditions",
                                                          "bindingFailureConditions"};

// Members of objects of resource.k8s.io whose text names what drivers define.
constexpr std::array<std::string_view, 5> kDeviceMembers = {
    "driver", "expression", "matchAttribute", "distinctAttribute", "extendedResourceName"};

// Labels whose values are roles that their kind defines.
constexpr std::array<std::string_view, 11> kRoleLabels = {"training.kubeflow.org/replica-type",
                                                          "training.kubeflow.org/job-role",
                                                          "job-role",
                                                          "mpi-job-role",
                                                          "spark-role",
                                                          "ray.io/node-type",
                                                          "kueue.x-k8s.io/podset",
                                                          "trellis.scheduler/movable",
                                                          "trellis.scheduler/backfill",
                                                          "trellis.scheduler/expected-duration",
                                                          "trellis.scheduler/background"};

// Lists whose items have names that their kind defines.
constexpr std::array<std::string_view, 6> kRoleLists = {"podSets",          "podSetAssignments",
                                                        "attributes",       "reclaimablePods",
                                                        "topologyPolicies", "podSetUpdates"};

constexpr std::array<std::string_view, 2> kLeftOut = {"message", "images"};

// Maps whose keys are resources; such a name also stands in lists.
constexpr std::array<std::string_view, 5> kOfResources = {"requests", "limits", "allocatable",
                                                          "capacity", "overhead"};

// Maps whose keys are keys or values of labels, or names of containers.
constexpr std::array<std::string_view, 8> kKeyed = {
    "labels",  "domain",       "annotations", "matchLabels",
    "weights", "nodeSelector", "nodeLabels",  "trellis.scheduler/numa-hint"};

template <size_t N>
bool is_among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_public_domain(std::string_view domain) {
  return std::ranges::any_of(kPublicDomains, [&](std::string_view known) {
    return domain == known ||
           (domain.ends_with(known) && domain[domain.size() - known.size() - 1] == '.');
  });
}

bool is_public_key(std::string_view key) {
  size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_among(kPublicKeys, key);
  return is_public_domain(key.substr(0, slash)) || key.starts_with("runai-gpu-group/");
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A word of an enumeration: names of objects are in lower case.
bool is_camel_case(std::string_view text) {
  if (text.empty() || text.front() < 'A' || text.front() > 'Z') return false;
  return std::ranges::all_of(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool is_all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_amount_or_time(const std::string& text) {
  return parse_quantity(text, 0).has_value() || parse_timestamp(text).has_value();
}

// Where a value is: the last two names of members above it.
struct ValuePlace {
  std::string_view member;  // of an item of a list: the list's
  std::string_view above;
};

class Anonymizer {
 public:
  explicit Anonymizer(const std::string& lines) {
    size_t start = 0;
    while (start < lines.size()) {
      size_t end = std::min(lines.find('\n', start), lines.size());
      objects_.push_back(parse_object(lines.substr(start, end - start)));
      start = end + 1;
    }
  }

  std::string run() {
    for (const Json& object : objects_) find_scored_annotations(object);
    for (Json& object : objects_) walk(object, Pass::Collect);
    name_words();
    std::string text;
    for (Json& object : objects_) {
      walk(object, Pass::Replace);
      walk(object, Pass::Fold);
      text += one_line(object) + "\n";
    }
    return text;
  }

 private:
  // Collect parses the JSON in annotations, and Fold makes it text again.
  enum class Pass : uint8_t { Collect, Replace, Fold };

  struct Open {
    Json* value;
    ValuePlace at;
  };

  void walk(Json& object, Pass pass) {
    std::string kind = text_at(object, "kind");
    if (kind == "Cycle") return walk_cycle(object, pass);
    of_classes_ = kind == "PriorityClass";
    of_devices_ = text_at(object, "apiVersion").starts_with("resource.k8s.io/");
    collect_levels(object, pass);
    std::vector<Open> open = {{&object, {}}};
    while (!open.empty()) {
      Open next = open.back();
      open.pop_back();
      if (next.value->is_object()) {
        take_members(*next.value, next.at, pass, open);
      } else if (next.value->is_array()) {
        for (Json& item : *next.value) open.push_back({&item, next.at});
      } else if (next.value->is_string()) {
        if (pass == Pass::Collect && of_devices_) keep_words(*next.value, next.at);
        if (!is_kept(*next.value, next.at)) take(*next.value, pass);
      }
    }
  }

  // What expressions compare with attributes stands there, too.
  void keep_words(const Json& value, const ValuePlace& at) {
    if (!is_among(kDeviceMembers, at.member)) return;
    const auto& text = value.get_ref<const std::string&>();
    if (at.member == "extendedResourceName") kept_.insert(text);
    for_each_word(text, [this](std::string_view part, bool word) {
      if (word) kept_words_.emplace(part);
    });
  }

  // The numbers of queues and nodes, appointments, the names of schedulers, and the rules of the
  // plugin labelscore.
  void walk_cycle(Json& cycle, Pass pass) {
    rename_keys(cycle["usage"], pass);
    if (cycle.contains("nodeNumbers")) {
      for (auto& [file, numbers] : cycle["nodeNumbers"].items()) rename_keys(numbers, pass);
      rename_keys(cycle["nodeNumbers"], pass);
    }
    if (cycle.contains("appointments")) {
      for (Json& one : cycle["appointments"]) {
        for (const char* key : {"namespace", "gang"}) take(one[key], pass);
        for (Json& pod : one["pods"]) {
          for (const char* key : {"name", "node"}) take(pod[key], pass);
        }
      }
    }
    if (cycle.contains("gangTimes")) {
      for (Json& one : cycle["gangTimes"]) {
        for (const char* key : {"namespace", "gang"}) take(one[key], pass);
      }
    }
    if (cycle.contains("pastRuns")) {
      for (Json& past : cycle["pastRuns"]) {
        if (past.contains("queue")) take(past["queue"], pass);
        take(past["namespace"], pass);
      }
    }
    const Json::json_pointer schedulers("/config/schedulerNames");
    if (cycle.contains(schedulers)) {
      for (Json& name : cycle[schedulers]) take(name, pass);
    }
    const Json::json_pointer usage("/config/queues/usage");
    if (cycle.contains(usage)) take(cycle[usage], pass);
    const Json::json_pointer rules("/config/plugins/labelscore/arguments/scores");
    if (!cycle.contains(rules)) return;
    for (Json& rule : cycle[rules]) {
      for (const char* key : {"label", "annotation", "file", "value"}) {
        bool is_public = rule.contains(key) && is_public_key(text_at(rule, key));
        if (rule.contains(key) && !is_public) take(rule[key], pass);
      }
    }
  }

  void rename_keys(Json& map, Pass pass) {
    Json changed = Json::object();
    for (auto& [key, value] : map.items()) {
      if (pass == Pass::Collect) collect(key);
      changed[pass == Pass::Replace ? replaced(key) : key] = std::move(value);
    }
    map = std::move(changed);
  }

  // Annotations of nodes count by these rules alone.
  void find_scored_annotations(const Json& object) {
    const Json::json_pointer rules("/config/plugins/labelscore/arguments/scores");
    if (text_at(object, "kind") != "Cycle" || !object.contains(rules)) return;
    for (const Json& rule : object[rules]) scored_.insert(text_at(rule, "annotation"));
  }

  // The last part of a level's label may name the level.
  void collect_levels(const Json& object, Pass pass) {
    if (pass != Pass::Collect || !object.contains("spec") || !object["spec"].is_object()) return;
    const Json& spec = object["spec"];
    if (!spec.contains("levels") || !spec["levels"].is_array()) return;
    for (const Json& level : spec["levels"]) {
      if (!level.is_object()) continue;
      std::string label = level.value("nodeLabel", "");
      if (is_public_key(label)) kept_.insert(label.substr(label.find('/') + 1));
    }
  }

  static void turn_annotation(Json& value, Pass pass) {
    if (pass == Pass::Fold && !value.is_string()) value = one_line(value);
    if (pass != Pass::Collect || !value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    if (!text.starts_with('{') && !text.starts_with('[')) return;
    Json parsed = parse_object(text);
    if (parsed.is_structured()) value = std::move(parsed);
  }

  // Domains of an assignment have the parts that their names share written once.
  static void join_roots(Json& object) {
    auto roots = object.find("roots");
    if (roots == object.end() || !roots->is_array()) return;
    std::string prefix = text_at(object, "prefix");
    std::string suffix = text_at(object, "suffix");
    for (Json& root : *roots) {
      if (root.is_string()) root = prefix + root.get<std::string>() + suffix;
    }
    object.erase("prefix");
    object.erase("suffix");
  }

  void take_members(Json& object, const ValuePlace& at, Pass pass, std::vector<Open>& open) {
    bool terms = object.contains("nodeSelectorTerms");  // and no labels
    bool keyed = is_among(kKeyed, at.member) && !terms;
    if (pass == Pass::Collect && at.member == "individual") join_roots(object);
    Json changed = Json::object();
    for (auto& [key, value] : object.items()) {
      if (is_among(kLeftOut, key) && !keyed) continue;
      bool known = !keyed || is_public_key(key);
      if (!known && at.member == "annotations" && !scored_.contains(key)) continue;
      if (at.member == "annotations") turn_annotation(value, pass);
      if (pass == Pass::Collect && is_among(kOfResources, at.member)) kept_.insert(key);
      std::string name = key;
      if (!known && pass == Pass::Collect) collect(key);
      if (!known && pass == Pass::Replace) name = replaced(key);
      changed[name] = std::move(value);
    }
    object = std::move(changed);
    for (auto& [key, value] : object.items()) {
      // Keys of the object itself: they live as long as it does.
      open.push_back({&value, {object.find(key).key(), at.member}});
    }
  }

  bool is_kept(const Json& value, const ValuePlace& at) {
    const auto& text = value.get_ref<const std::string&>();
    bool class_name = at.member == "priorityClassName" ||
                      (of_classes_ && at.member == "name" && at.above == "metadata");
    if (class_name && is_among(kClasses, text)) return true;
    if (of_devices_ && is_among(kDeviceMembers, at.member)) return true;
    if (is_among(kPublicKeys, text)) return true;
    if (is_amount_or_time(text) || is_among(kPublicWords, text) || kept_.contains(text))
      return true;
    size_t slash = text.find('/');
    if (slash != std::string::npos && is_public_domain(text.substr(0, slash))) return true;
    bool in_labels = is_among(kKeyed, at.above);
    if (in_labels && at.member == "app") return reserves_shared_gpu(text);
    if (in_labels) return is_among(kRoleLabels, at.member);
    if (at.member == "value" && at.above != "attributes") return false;
    bool role = at.member == "name" || at.member == "value";
    if (role && is_among(kRoleLists, at.above)) return true;
    if (is_among(kRoleLists, at.member) || is_among(kApiMembers, at.member)) return true;
    return at.member != "values" && is_camel_case(text);
  }

  void take(Json& value, Pass pass) {
    auto& text = value.get_ref<std::string&>();
    if (pass == Pass::Collect) collect(text);
    if (pass == Pass::Replace) text = replaced(text);
  }

  template <class Take>
  static void for_each_word(std::string_view text, Take take_part) {
    while (!text.empty()) {
      bool word = is_word_char(text.front());
      auto end = std::ranges::find_if(text, [&](char c) { return is_word_char(c) != word; });
      std::string_view part = text.substr(0, static_cast<size_t>(end - text.begin()));
      take_part(part, word && !is_all_digits(part));
      text.remove_prefix(part.size());
    }
  }

  void collect(std::string_view text) {
    for_each_word(text, [this](std::string_view part, bool word) {
      if (word) words_.emplace(part, "");
    });
  }

  std::string replaced(std::string_view text) {
    std::string result;
    for_each_word(text, [&](std::string_view part, bool word) {
      if (word) {
        result += words_.find(part)->second;
      } else {
        result += part;
      }
    });
    return result;
  }

  // In the words' order, all of one length: so names keep their order, also where they have parts.
  void name_words() {
    constexpr size_t kLetters = 26;
    size_t length = 1;
    for (size_t most = kLetters; most < words_.size(); most *= kLetters) ++length;
    size_t rank = 0;
    for (auto& [word, name] : words_) {
      if (is_among(kPublicParts, word) || kept_words_.contains(word)) {
        name = word;
        continue;
      }
      name = "x" + std::string(length, 'a');
      size_t rest = rank++;
      for (size_t i = length; i > 0; --i, rest /= kLetters) {
        name[i] = static_cast<char>('a' + rest % kLetters);
      }
    }
  }

  std::vector<Json> objects_;
  std::map<std::string, std::string, std::less<>> words_;
  std::set<std::string, std::less<>> kept_;
  std::set<std::string, std::less<>> kept_words_;
  std::set<std::string, std::less<>> scored_;  // annotations of nodes that rules name
  bool of_classes_ = false;                    // the object is a PriorityClass
  bool of_devices_ = false;                    // the object that is walked is of resource.k8s.io
};

}  // namespace

std::string anonymous_lines(const std::string& lines) { return Anonymizer(lines).run(); }

}  // namespace trellis
