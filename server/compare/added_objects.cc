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

// Kinds that are read alone, and the names of lists.
constexpr auto kAlone = std::to_array<std::string_view>(
    {"Pod", "PodGroup", "Job", "JobSet", "LeaderWorkerSet", "StatefulSet", "Deployment",
     "PyTorchJob", "MPIJob", "RayCluster", "RayJob", "List", "PodList"});

// Nothing in the text refers to an object elsewhere, but by name of a gang or queue.
bool is_read_alone(std::string_view text) {
  auto elsewhere = [](std::string_view kind) {
    return std::ranges::find(kAlone, kind) == kAlone.end();
  };
  return text.find("ownerReferences") == std::string_view::npos && !any_kind_word(text, elsewhere);
}

bool refers_elsewhere(const PodObject& object) {
  const PodSpec& spec = *object.spec;
  return object.pod.waiting_claims || object.pod.device_claims || spec.volumes || spec.devices;
}

// What was read, beside the cluster that it is to be added to.
class ReadAlone {
 public:
  ReadAlone(const Manifest& manifest, const Cluster& cluster, StringTable& strings)
      : read_(manifest.objects), cluster_(cluster), strings_(strings) {}

  // Nothing in the cluster has to be read differently because of it, and it nowhere differently
  // because of the cluster.
  bool stands_alone() const {
    return std::ranges::all_of(read_.gangs, [&](const Gang& gang) { return is_new(gang); }) &&
           std::ranges::all_of(read_.workloads, [&](const Workload& one) { return is_new(one); }) &&
           std::ranges::all_of(read_.pods, [&](const PodObject& pod) { return is_new(pod); }) &&
           all_pods_belong();
  }

 private:
  bool is_new(const Gang& gang) const {
    return gang.errors.empty() &&
           !cluster_.find_gang(strings_.view(gang.name_space), gang.name).valid();
  }
  bool is_new(const Workload& workload) const {
    std::string key = full_key(strings_, workload.name_space, workload.name);
    return !cluster_.workloads().workloads().find(key).valid();
  }
  bool is_new(const PodObject& object) const {
    const Pod& pod = object.pod;
    return !refers_elsewhere(object) &&
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

  template <class Record>
  StrId key_of(const Record& record) const {
    return strings_.intern(full_key(strings_, record.name_space, record.name));
  }
  struct Hash {
    size_t operator()(StrId id) const { return absl::HashOf(id.value); }
  };

  const Objects& read_;
  const Cluster& cluster_;
  StringTable& strings_;
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
  auto has_zones = [](const Node& node) { return static_cast<bool>(node.numa); };
  ReadOptions options{.zones_elsewhere = std::ranges::any_of(copy.objects().nodes, has_zones),
                      .settings = added.settings};
  Manifest manifest = read_manifest_texts(texts, copy.vocabulary(), options);
  if (manifest.has_errors()) return false;
  if (!ReadAlone(manifest, copy.original(), copy.vocabulary().strings).stands_alone()) return false;
  append(manifest.objects.gangs, copy.objects().gangs);
  append(manifest.objects.workloads, copy.objects().workloads);
  append(manifest.objects.pods, copy.objects().pods);
  return true;
}

}  // namespace trellis
