#include <algorithm>
#include <string_view>

#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"

namespace trellis {
namespace {

constexpr std::string_view kGroupResource = "podgroups";

bool is_true(Value conditions, std::string_view type) {
  for (Value condition : conditions.items()) {
    if (condition["type"].text() == type) return condition["status"].text() == "True";
  }
  return false;
}

// A device may have conditions that must hold before a pod is bound to it.
bool is_ready(Value result, Value devices) {
  Value wanted = result["bindingConditions"];
  if (wanted.size() == 0) return true;
  for (Value device : devices.items()) {
    bool same = true;
    for (std::string_view key : {"driver", "pool", "device", "shareID"}) {
      same = same && device[key].text() == result[key].text();
    }
    if (!same) continue;
    Value conditions = device["conditions"];
    auto holds = [&](Value type) { return is_true(conditions, type.text()); };
    for (Value type : wanted.items()) {
      if (!holds(type)) return false;
    }
    for (Value type : result["bindingFailureConditions"].items()) {
      if (holds(type)) return false;
    }
    return true;
  }
  return false;
}

void decode_allocation(Value allocation, Value devices, ResourceClaimRecord& record,
                       FieldReader& fields) {
  Value results = fields.list(fields.object(allocation, "devices"), "results");
  bool ready = true;
  for (Value result : results.items()) ready = ready && is_ready(result, devices);
  record.state = ready ? ResourceClaimState::Allocated : ResourceClaimState::NotReady;
  Value selector = fields.object(allocation, "nodeSelector");
  if (selector.absent()) return;
  record.terms.emplace();
  for (Value term : fields.list(selector, "nodeSelectorTerms").items()) {
    record.terms->push_back(decode_selector_term(term, fields));
  }
}

}  // namespace

ResourceClaimRecord decode_resource_claim(NamedObject named, FieldReader& fields) {
  ResourceClaimRecord record{std::move(named.meta)};
  Value metadata = named.object["metadata"];
  for (Value owner : metadata["ownerReferences"].items()) {
    if (owner["kind"].text() == "Pod") record.pod_uid = owner["uid"].text();
  }
  Value status = fields.object(named.object, "status");
  Value allocation = fields.object(status, "allocation");
  Value devices = fields.list(status, "devices");
  if (!allocation.absent()) decode_allocation(allocation, devices, record, fields);
  for (Value consumer : fields.list(status, "reservedFor").items()) {
    ++record.reservations;
    if (consumer["resource"].text() == kGroupResource) {
      StrId name = fields.intern_if(consumer["name"].text());
      if (name.valid()) record.groups.push_back(name);
    } else {
      record.pods.emplace_back(consumer["uid"].text());
    }
  }
  std::sort(record.pods.begin(), record.pods.end());
  if (!metadata["deletionTimestamp"].absent()) record.state = ResourceClaimState::Leaving;
  return record;
}

std::vector<ResourceClaimUse> decode_resource_claim_uses(Value spec, Value status,
                                                         FieldReader& fields) {
  std::vector<ResourceClaimUse> uses;
  for (Value entry : fields.list(spec, "resourceClaims").items()) {
    StrId named =
        reference(fields, KeyKind::ResourceClaim, fields.string(entry, "resourceClaimName"));
    if (named.valid()) {
      uses.push_back({.claim = named});
      continue;
    }
    ResourceClaimUse use{.claim = {}, .made = true};
    bool needed = true;
    for (Value made : status["resourceClaimStatuses"].items()) {
      if (made["name"].text() != entry["name"].text()) continue;
      use.claim = reference(fields, KeyKind::ResourceClaim, made["resourceClaimName"].text());
      needed = use.claim.valid();
    }
    if (needed) uses.push_back(use);
  }
  return uses;
}

}  // namespace trellis
