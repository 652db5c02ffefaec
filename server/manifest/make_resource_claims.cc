#include "server/manifest/make_resource_claims.h"

#include <absl/container/flat_hash_map.h>
#include <xxhash.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/manifest/group_claims.h"

namespace trellis {
namespace {

constexpr size_t kMostBase = 57;  // letters before those that are generated
constexpr const char* kEntryKey = "resource.kubernetes.io/pod-claim-name";

// As the controller shortens them: both parts in proportion.
std::string base_name(std::string_view owner, std::string_view entry) {
  size_t most = kMostBase - 2;
  if (owner.size() + entry.size() > most) {
    size_t of_owner = most * owner.size() / (owner.size() + entry.size());
    size_t of_entry = most - of_owner;
    owner = owner.substr(0, of_owner);
    entry = entry.substr(0, of_entry);
  }
  std::string name(owner);
  return name.append("-").append(entry).append("-");
}

std::string suffix_of(std::string_view name_space, std::string_view owner, std::string_view entry) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr int kLength = 5;
  uint64_t hash = XXH3_64bits(name_space.data(), name_space.size());
  for (std::string_view part : {owner, entry}) {
    hash = XXH3_64bits_withSeed(part.data(), part.size(), hash);
  }
  std::string suffix;
  for (int i = 0; i < kLength; ++i, hash /= kLetters.size()) {
    suffix += kLetters[hash % kLetters.size()];
  }
  return suffix;
}

class ClaimMaker {
 public:
  ClaimMaker(Records& records, FieldReader& fields, std::vector<RawObject>* raw)
      : records_(records), fields_(fields), strings_(fields.vocabulary().strings), raw_(raw) {}

  void run() {
    for (PodRecord& pod : records_.pods) {
      if (!pod.claims || has_finished(pod.object.pod.status)) continue;
      for (size_t i = 0; i < pod.claims->devices.size(); ++i) {
        const ResourceClaimUse& use = pod.claims->devices[i];
        bool unmade = use.made && !use.claim.valid();
        // Without a name, the entry was reported.
        if (unmade && use.entry.valid()) make(pod, i);
      }
    }
  }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // namespace, name

  void find_objects() {
    if (found_) return;
    found_ = true;
    groups_.emplace(records_);
    for (const ClaimTemplateRecord& record : records_.claim_templates) {
      if (record.meta.broken()) continue;
      templates_.emplace(Key(record.meta.key.name_space.value, record.meta.key.name.value),
                         &record);
    }
    for (const ResourceClaimRecord& record : records_.resource_claims) {
      claims_.emplace(Key(record.meta.key.name_space.value, record.meta.key.name.value), 0);
    }
  }

  // The pod or the PodGroup that a claim is made for.
  struct Owner {
    std::string_view version;
    std::string_view kind;
    std::string_view name;
    std::string_view uid;
  };

  Owner owner_of(const PodRecord& pod, const ResourceClaimUse& use) const {
    const PodGroupRecord* group = use.of_group ? groups_->group_of(pod) : nullptr;
    if (group == nullptr) return {"v1", "Pod", pod.object.pod.name, pod.object.pod.uid.view()};
    return {"scheduling.k8s.io/v1beta1", "PodGroup", strings_.view(group->meta.key.name),
            group->meta.uid};
  }

  void make(PodRecord& pod, size_t index) {
    find_objects();
    const ResourceClaimUse& use = pod.claims->devices[index];
    if (use.of_group) {
      const GroupClaimUse* entry = groups_->find(pod, use);
      if (entry != nullptr && entry->claim.valid()) return name_claim(pod, index, entry->claim);
    }
    StrId name_space = pod.object.pod.name_space;
    auto of = templates_.find(Key(name_space.value, use.of_template.value));
    if (of == templates_.end()) return;
    Owner owner = owner_of(pod, use);
    std::string_view entry = strings_.view(use.entry);
    std::string text =
        base_name(owner.name, entry) + suffix_of(strings_.view(name_space), owner.name, entry);
    StrId name = fields_.intern(text);
    auto [known, fresh] = claims_.emplace(Key(name_space.value, name.value), 0);
    bool for_pod = owner.kind == "Pod";
    name_claim(pod, index, name);
    if (!fresh) return;
    ResourceClaimRecord record;
    record.meta.key = {fields_.intern("resource.k8s.io"), fields_.intern("ResourceClaim"),
                       name_space, name};
    if (for_pod) record.pod_uid = pod.object.pod.uid;
    record.claim = of->second->claim;
    record.made = for_pod;
    if (raw_ != nullptr) {
      raw_->push_back(
          raw_of({std::string(strings_.view(name_space)), text}, owner, *of->second, entry));
    }
    records_.resource_claims.push_back(std::move(record));
  }

  static void name_claim(PodRecord& pod, size_t index, StrId name) {
    PodClaims claims = *pod.claims;
    claims.devices[index].claim = name;
    pod.claims = SharedValue(std::move(claims));
  }

  struct Place {
    std::string name_space;
    std::string name;
  };

  static RawObject raw_of(const Place& place, const Owner& owner, const ClaimTemplateRecord& of,
                          std::string_view entry) {
    Json object = {{"apiVersion", "resource.k8s.io/v1"}, {"kind", "ResourceClaim"}};
    Json& metadata = object["metadata"];
    metadata["name"] = place.name;
    metadata["namespace"] = place.name_space;
    if (!of.raw_annotations.empty()) metadata["annotations"] = parse_object(of.raw_annotations);
    metadata["annotations"][kEntryKey] = entry;
    if (!of.raw_labels.empty()) metadata["labels"] = parse_object(of.raw_labels);
    metadata["ownerReferences"] = {{{"apiVersion", owner.version},
                                    {"kind", owner.kind},
                                    {"name", owner.name},
                                    {"uid", owner.uid},
                                    {"controller", true}}};
    object["spec"] = parse_object(of.raw_spec);
    return {"ResourceClaim", place.name_space, place.name, one_line(object)};
  }

  Records& records_;
  FieldReader& fields_;
  const StringTable& strings_;
  std::vector<RawObject>* raw_;
  bool found_ = false;
  std::optional<GroupClaims> groups_;
  absl::flat_hash_map<Key, const ClaimTemplateRecord*> templates_;
  absl::flat_hash_map<Key, int> claims_;  // names that are taken
};

}  // namespace

void make_resource_claims(Records& records, FieldReader& fields, std::vector<RawObject>* raw) {
  ClaimMaker(records, fields, raw).run();
}

}  // namespace trellis
