#include "server/compare/added_objects.h"

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "server/objects/kind_words.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

// Kinds that are read alone, and the names of lists. Other owners of pods may be of pods that are
// there.
constexpr auto kAlone =
    std::to_array<std::string_view>({"Pod", "PodGroup", "Job", "List", "PodList"});

// Words by which objects refer to others besides gangs and queues, and escapes, behind which any
// word may stand.
constexpr auto kReferences = std::to_array<std::string_view>(
    {"ownerReferences", "kueue.x-k8s.io/workload", "resourceClaims", "persistentVolumeClaim",
     "volumeClaimTemplate", R"(\u)", R"(\x)", R"(\U)"});

bool is_read_alone(std::string_view text) {
  auto is_named = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  auto elsewhere = [](std::string_view kind) {
    return std::ranges::find(kAlone, kind) == kAlone.end();
  };
  return std::ranges::none_of(kReferences, is_named) && !any_kind_word(text, elsewhere);
}

bool refers_elsewhere(const PodObject& object) {
  const PodSpec& spec = *object.spec;
  return object.pod.waiting_claims || object.pod.device_claims || spec.volumes || spec.devices;
}

bool has_zones(const Cluster& cluster) {
  return std::ranges::any_of(cluster.nodes(),
                             [](const Node& node) { return static_cast<bool>(node.numa); });
}

// What was read, beside the cluster that it is to be added to.
class ReadAlone {
 public:
  ReadAlone(const Manifest& manifest, const Cluster& cluster, StringTable& strings)
      : read_(manifest.objects), texts_(manifest.raw), cluster_(cluster), strings_(strings) {
    for (const Gang& gang : cluster.gangs()) {
      size_t dot = gang.name.view().find('.');
      if (dot == std::string_view::npos) continue;
      std::string_view name = gang.name.view().substr(dot + 1);
      renamed_.insert(full_key(strings.view(gang.name_space), name));
    }
  }

  // Nothing in the cluster has to be read differently because of it, and it nowhere differently
  // because of the cluster.
  bool stands_alone() const {
    return std::ranges::all_of(read_.gangs, [&](const Gang& gang) { return is_new(gang); }) &&
           std::ranges::all_of(read_.workloads, [&](const Workload& one) { return is_new(one); }) &&
           std::ranges::all_of(read_.pods, [&](const PodObject& pod) { return is_new(pod); }) &&
           std::ranges::all_of(texts_, [&](const RawObject& one) { return is_new(one); }) &&
           all_pods_belong() && !some_owner_has_pods();
  }

 private:
  bool is_new(const Gang& gang) const {
    return gang.errors.empty() && !is_claimed(gang.name_space, gang.name) && !has_namesake(gang);
  }
  // Gangs that would share a name are called KIND.NAME.
  bool has_namesake(const Gang& gang) const {
    std::string_view name_space = strings_.view(gang.name_space);
    if (renamed_.contains(full_key(name_space, gang.name))) return true;
    for (std::string_view name = gang.name.view();;) {
      if (cluster_.find_gang(name_space, name).valid()) return true;
      size_t dot = name.find('.');
      if (dot == std::string_view::npos) return false;
      name.remove_prefix(dot + 1);
    }
  }
  // Whether the object, or an owner that has not started, may be of a workload of this name, which
  // contains that of the owner.
  bool is_claimed(StrId name_space, std::string_view name) const {
    const auto& all = cluster_.workloads().workloads().all();
    return std::ranges::any_of(all, [&](const Workload& workload) {
      return workload.name_space == name_space && workload.name.find(name) != std::string::npos;
    });
  }
  // The gang that a Job makes once it starts has its name, which another gang gives up then.
  bool is_new(const RawObject& object) const {
    return object.kind != "Job" || (!cluster_.find_gang(object.name_space, object.name).valid() &&
                                    !is_claimed(strings_.find(object.name_space), object.name));
  }
  bool is_new(const Workload& workload) const {
    std::string key = full_key(strings_, workload.name_space, workload.name);
    return !cluster_.workloads().workloads().find(key).valid();
  }
  bool is_new(const PodObject& object) const {
    const Pod& pod = object.pod;
    return !refers_elsewhere(object) && pod.node.empty() &&
           !cluster_.find_pod(strings_.view(pod.name_space), pod.name).valid();
  }

  // To gangs and workloads that were read.
  bool all_pods_belong() const {
    absl::flat_hash_set<StrId, Hash> groups;
    for (const Gang& gang : read_.gangs) groups.insert(key_of(gang));
    for (const Workload& workload : read_.workloads) groups.insert(key_of(workload));
    return std::ranges::all_of(read_.pods, [&](const PodObject& object) {
      const Pod& pod = object.pod;
      return groups.contains(pod.gang) && (!pod.workload.valid() || groups.contains(pod.workload));
    });
  }

  // Whether the cluster has pods with names like those that an owner among the objects makes.
  bool some_owner_has_pods() const {
    auto stem_of = [&](const Pod& pod) {
      std::string_view name = pod.name.view();
      return full_key(strings_, pod.name_space, name.substr(0, name.rfind('-')));
    };
    absl::flat_hash_set<std::string> stems;
    for (const PodObject& object : read_.pods) stems.insert(stem_of(object.pod));
    if (stems.empty()) return false;
    return std::ranges::any_of(cluster_.pods(), [&](const PodSlot& slot) {
      return !slot.pod.name.empty() && stems.contains(stem_of(slot.pod));
    });
  }

  template <class Record>
  StrId key_of(const Record& record) const {
    return strings_.intern(full_key(strings_, record.name_space, record.name));
  }
  struct Hash {
    size_t operator()(StrId id) const { return absl::HashOf(id.value); }
  };

  const Objects& read_;
  const std::vector<RawObject>& texts_;
  const Cluster& cluster_;
  StringTable& strings_;
  absl::flat_hash_set<std::string> renamed_;  // what the cluster's gangs may have been called
};

template <class Record>
void append(std::vector<Record>& from, std::vector<Record>& to) {
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

}  // namespace

bool add_objects(const AddedObjects& added, CycleCopy& copy) {
  if (!is_read_alone(added.text)) return false;
  std::vector<NamedText> texts = {{std::string_view("cycle"), StoredText(added.far_reaching)},
                                  {std::string_view("request"), StoredText(added.text)}};
  ReadOptions options{
      .keep_raw = true, .zones_elsewhere = has_zones(copy.original()), .settings = added.settings};
  Manifest manifest = read_manifest_texts(texts, copy.vocabulary(), options);
  if (manifest.has_errors()) return false;
  if (!ReadAlone(manifest, copy.original(), copy.vocabulary().strings).stands_alone()) return false;
  append(manifest.objects.gangs, copy.objects().gangs);
  append(manifest.objects.workloads, copy.objects().workloads);
  append(manifest.objects.pods, copy.objects().pods);
  return true;
}

}  // namespace trellis
