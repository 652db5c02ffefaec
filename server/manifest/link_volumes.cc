#include "server/manifest/link_volumes.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <utility>
#include <vector>

#include "server/document/first_error.h"
#include "server/manifest/pod_claims.h"

namespace trellis {
namespace {

// Pods in the same situation, to be reported together.
struct Told {
  int64_t pods = 0;
  std::string example;

  void add(std::string claim) {
    ++pods;
    // The first by name, so that the order of the input does not matter.
    if (example.empty() || claim < example) example = std::move(claim);
  }
  std::string text() const {
    std::string all = std::to_string(pods) + (pods == 1 ? " pod (" : " pods (");
    return all + example + (pods > 1 ? ", ...)" : ")");
  }
};

class VolumeLinker {
 public:
  VolumeLinker(Records& records, FieldReader& fields)
      : records_(records), fields_(fields), strings_(fields.vocabulary().strings) {
    for (const ClaimRecord& claim : records_.claims) claims_.emplace(key_of(claim.meta), &claim);
    for (const VolumeRecord& volume : records_.volumes) {
      volumes_.emplace(volume.meta.key.name.value, &volume);
    }
  }

  void run() {
    for (PodRecord& pod : records_.pods) {
      if (pod.claims && !has_finished(pod.object.pod.status)) link(pod);
    }
    if (absent_.pods > 0) {
      fields_.report().summary(
          Severity::Note, "waiting for volume claims that are not in the input: " + absent_.text());
    }
    if (unbound_.pods > 0) {
      fields_.report().summary(
          Severity::Note,
          "waiting for volume claims to be bound, which is not done yet: " + unbound_.text());
    }
    if (unknown_.pods > 0) {
      fields_.report().summary(
          Severity::Note,
          "not looked at: volumes that are not in the input, of " + unknown_.text());
    }
  }

 private:
  static std::pair<uint32_t, uint32_t> key_of(const Meta& meta) {
    return {meta.key.name_space.value, meta.key.name.value};
  }

  void link(PodRecord& record) {
    Pod& pod = record.object.pod;
    std::vector<const VolumeRecord*> bound;
    for (StrId name : record.claims->volumes) {
      auto claim = claims_.find({pod.name_space.value, name.value});
      std::string full(strings_.view(pod.name_space));
      full += "/";
      full += strings_.view(name);
      if (claim == claims_.end()) {
        if (pod.status == PodStatus::Pending) absent_.add(std::move(full));
        return hold(pod);
      }
      StrId volume = claim->second->volume;
      if (!volume.valid()) {
        if (pod.status == PodStatus::Pending) unbound_.add(std::move(full));
        return hold(pod);
      }
      auto found = volumes_.find(volume.value);
      if (found == volumes_.end()) {
        if (pod.status == PodStatus::Pending) unknown_.add(std::move(full));
        continue;
      }
      if (found->second->meta.broken()) return hold(pod);
      if (found->second->terms) bound.push_back(found->second);
    }
    for (const VolumeRecord* volume : bound) {
      if (!follow(*volume->terms, record)) return;
    }
  }

  static void hold(Pod& pod) { hold_pod(pod, PodHold::VolumeClaim); }

  bool follow(const std::vector<SelectorTerm>& terms, PodRecord& record) {
    if (require_terms(terms, record.object.spec.edit())) return true;
    FirstError first(fields_.report());
    fields_.report().error(
        Place{record.meta.pos, ""},
        {"volumes that leave more than " + std::to_string(kMostNodeTerms) + " alternatives",
         "fewer terms", ""});
    if (!record.meta.error) record.meta.error = first.in("Pod", record.object.pod.name);
    hold(record.object.pod);
    return false;
  }

  Records& records_;
  FieldReader& fields_;
  const StringTable& strings_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, const ClaimRecord*> claims_;
  absl::flat_hash_map<uint32_t, const VolumeRecord*> volumes_;  // by name
  Told absent_;
  Told unbound_;
  Told unknown_;
};

}  // namespace

void link_volumes(Records& records, FieldReader& fields) { VolumeLinker(records, fields).run(); }

}  // namespace trellis
