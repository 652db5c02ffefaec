#include <algorithm>
#include <string_view>

#include "server/devices/decode_devices.h"
#include "server/document/json_text.h"
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
      record.pod_names.emplace_back(consumer["name"].text());
    }
  }
  std::sort(record.pods.begin(), record.pods.end());
  std::sort(record.pod_names.begin(), record.pod_names.end());
  record.claim = SharedValue(decode_device_claim(named.object, fields));
  if (!metadata["deletionTimestamp"].absent()) record.state = ResourceClaimState::Leaving;
  return record;
}

ClaimTemplateRecord decode_claim_template(NamedObject named, FieldReader& fields) {
  ClaimTemplateRecord record{.meta = std::move(named.meta)};
  Value spec = fields.object(named.object, "spec");
  Value metadata = fields.object(spec, "metadata");
  Value of_claim = fields.object(spec, "spec");
  devices::Claim claim;
  decode_claim_spec(of_claim, claim, fields);
  record.claim = SharedValue(std::move(claim));
  record.raw_spec = json_text(of_claim);
  if (!metadata["labels"].absent()) record.raw_labels = json_text(metadata["labels"]);
  if (!metadata["annotations"].absent()) {
    record.raw_annotations = json_text(metadata["annotations"]);
  }
  return record;
}

DeviceSliceRecord decode_device_slice(NamedObject named, FieldReader& fields) {
  DeviceSliceRecord record{.meta = std::move(named.meta)};
  std::string_view node = named.object["spec"]["nodeName"].text();
  if (fields.dependencies() != nullptr) fields.dependencies()->stand_on(node);
  record.slice = {named.name, content_hash(named.object["spec"]),
                  SharedValue(decode_slice(named.object, fields))};
  return record;
}

DeviceClassRecord decode_class_of_devices(NamedObject named, FieldReader& fields) {
  DeviceClassRecord record{.meta = std::move(named.meta)};
  record.device_class = {named.name, SharedValue(decode_device_class(named.object, fields))};
  return record;
}

DeviceTaintsRecord decode_device_taints(NamedObject named, FieldReader& fields) {
  DeviceTaintsRecord record{.meta = std::move(named.meta)};
  record.taints = {named.name, SharedValue(decode_taint_rule(named.object, fields))};
  return record;
}

std::vector<ResourceClaimUse> decode_resource_claim_uses(Value spec, Value status,
                                                         FieldReader& fields) {
  std::vector<ResourceClaimUse> uses;
  for (Value entry : fields.list(spec, "resourceClaims").items()) {
    StrId named =
        reference(fields, KeyKind::ResourceClaim, fields.string(entry, "resourceClaimName"));
    if (named.valid()) {
      uses.push_back({.claim = named, .entry = fields.intern_if(entry["name"].text())});
      continue;
    }
    ResourceClaimUse use{
        .claim = {},
        .made = true,
        .entry = fields.intern_if(fields.string(entry, "name")),
        .of_template = fields.intern_if(fields.string(entry, "resourceClaimTemplateName"))};
    bool needed = true;
    for (Value made : status["resourceClaimStatuses"].items()) {
      if (made["name"].text() != entry["name"].text()) continue;
      use.claim = reference(fields, KeyKind::ResourceClaim, made["resourceClaimName"].text());
      needed = use.claim.valid();
    }
    if (needed) uses.push_back(use);
  }
  StrId extended = reference(fields, KeyKind::ResourceClaim,
                             status["extendedResourceClaimStatus"]["resourceClaimName"].text());
  if (extended.valid()) uses.push_back({.claim = extended, .extended = true});
  return uses;
}

}  // namespace trellis
