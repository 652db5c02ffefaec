#include "server/manifest/make_volume_claims.h"

#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"

namespace trellis {
namespace {

class VolumeClaimMaker {
 public:
  VolumeClaimMaker(Records& records, FieldReader& fields) : records_(records), fields_(fields) {}

  void run() {
    for (PodRecord& pod : records_.pods) {
      if (!pod.claims) continue;
      for (size_t i = 0; i < pod.claims->volumes.size(); ++i) {
        if (pod.claims->volumes[i].need) make(pod, i);
      }
    }
  }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // namespace, name

  void find_names() {
    if (found_) return;
    found_ = true;
    for (const ClaimRecord& claim : records_.claims) {
      names_.emplace(claim.meta.key.name_space.value, claim.meta.key.name.value);
    }
  }

  void make(PodRecord& pod, size_t index) {
    find_names();
    PodClaims claims = *pod.claims;
    VolumeClaimUse& use = claims.volumes[index];
    SharedValue<VolumeNeed> need = std::exchange(use.need, {});
    std::string name(pod.object.pod.name.view());
    use.claim = fields_.intern(name.append(fields_.vocabulary().strings.view(use.claim)));
    StrId name_space = pod.object.pod.name_space;
    if (names_.emplace(name_space.value, use.claim.value).second) {
      ClaimRecord record;
      record.meta.key = {StringTable::kEmpty, fields_.intern("PersistentVolumeClaim"), name_space,
                         use.claim};
      record.need = *need;
      record.pod = pod.object.pod.uid;
      records_.claims.push_back(std::move(record));
    }
    pod.claims = SharedValue(std::move(claims));
  }

  Records& records_;
  FieldReader& fields_;
  bool found_ = false;
  absl::flat_hash_set<Key> names_;  // of claims
};

Json claim_of(const RawObject& pod, const Json& volume) {
  Json of_template = volume["ephemeral"].value("volumeClaimTemplate", Json::object());
  Json claim = {{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}};
  for (const char* part : {"metadata", "spec"}) {
    claim[part] = of_template.value(part, Json::object());
  }
  Json& metadata = object_at(claim, "metadata");
  metadata["name"] = pod.name + "-" + text_at(volume, "name");
  metadata["namespace"] = pod.name_space;
  metadata["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod.name}, {"controller", true}}};
  return claim;
}

void add_texts(const absl::flat_hash_set<std::string>& taken, std::vector<RawObject>& raw) {
  size_t pods = raw.size();
  for (size_t i = 0; i < pods; ++i) {
    if (raw[i].kind != "Pod" || raw[i].json.find("\"ephemeral\"") == std::string::npos) continue;
    Json pod = parse_object(raw[i].json);
    for (const Json& volume : pod.value("/spec/volumes"_json_pointer, Json::array())) {
      if (!volume.is_object() || !volume.value("ephemeral", Json()).is_object()) continue;
      Json claim = claim_of(raw[i], volume);
      std::string name = text_at(claim["metadata"], "name");
      if (taken.contains(raw[i].name_space + "/" + name)) continue;
      raw.push_back({"PersistentVolumeClaim", raw[i].name_space, name, one_line(claim)});
    }
  }
}

}  // namespace

void make_volume_claims(Records& records, FieldReader& fields, std::vector<RawObject>* raw) {
  size_t before = records.claims.size();
  VolumeClaimMaker(records, fields).run();
  if (raw == nullptr || records.claims.size() == before) return;
  const StringTable& strings = fields.vocabulary().strings;
  absl::flat_hash_set<std::string> taken;
  for (size_t i = 0; i < before; ++i) {
    const ObjectKey& key = records.claims[i].meta.key;
    std::string name(strings.view(key.name_space));
    taken.insert(name.append("/").append(strings.view(key.name)));
  }
  add_texts(taken, *raw);
}

}  // namespace trellis
