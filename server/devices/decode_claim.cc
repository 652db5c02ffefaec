#include <utility>

#include "server/devices/decode_devices.h"
#include "server/devices/decode_parts.h"

namespace trellis {
namespace {

using namespace device_parts;

devices::Selectors selectors_of(Value parent, FieldReader& fields) {
  devices::Selectors selectors;
  for (Value item : fields.list(parent, "selectors").items()) {
    selectors.push_back(text(fields.object(item, "cel"), "expression", fields));
  }
  return selectors;
}

devices::Mode mode_of(std::string_view mode) {
  if (mode.empty() || mode == "ExactCount") return devices::Mode::Count;
  return mode == "All" ? devices::Mode::All : devices::Mode::Unknown;
}

devices::Alternative alternative_of(Value value, std::string name, FieldReader& fields) {
  devices::Alternative alternative;
  alternative.name = std::move(name);
  alternative.device_class = text(value, "deviceClassName", fields);
  alternative.selectors = selectors_of(value, fields);
  alternative.mode = mode_of(fields.string(value, "allocationMode"));
  alternative.count = integer(value["count"], 1, fields);
  alternative.admin_access = fields.boolean(value, "adminAccess");
  alternative.derives_attributes = fields.list(value, "derivedAttributes").size() > 0;
  alternative.tolerations = tolerations(value, fields);
  alternative.capacity =
      amounts(fields.object(fields.object(value, "capacity"), "requests"), fields);
  return alternative;
}

devices::Request request_of(Value value, FieldReader& fields) {
  devices::Request request;
  request.name = text(value, "name", fields);
  for (Value alternative : fields.list(value, "firstAvailable").items()) {
    std::string name = text(alternative, "name", fields);
    request.alternatives.push_back(alternative_of(alternative, std::move(name), fields));
  }
  if (!request.alternatives.empty()) return request;
  // v1beta1 has the fields in the request itself.
  Value exactly = fields.object(value, "exactly");
  request.alternatives.push_back(alternative_of(exactly.absent() ? value : exactly, "", fields));
  return request;
}

devices::Result result_of(Value value, FieldReader& fields) {
  devices::Result result;
  result.request = text(value, "request", fields);
  result.id = {text(value, "driver", fields), text(value, "pool", fields),
               text(value, "device", fields)};
  result.admin_access = fields.boolean(value, "adminAccess");
  result.shared = !value["shareID"].absent();
  result.tolerations = tolerations(value, fields);
  result.consumed = amounts(fields.object(value, "consumedCapacity"), fields);
  result.binding_conditions = texts(value, "bindingConditions", fields);
  result.binding_failures = texts(value, "bindingFailureConditions", fields);
  return result;
}

devices::Allocation allocation_of(Value value, FieldReader& fields) {
  devices::Allocation allocation;
  Value given = fields.object(value, "devices");
  for (Value result : fields.list(given, "results").items()) {
    allocation.results.push_back(result_of(result, fields));
  }
  allocation.config = configs(given, fields);
  std::vector<devices::NodeTerm> terms = node_terms(fields.object(value, "nodeSelector"), fields);
  if (!terms.empty()) allocation.nodes = std::move(terms[0]);
  return allocation;
}

}  // namespace

devices::Class decode_device_class(Value object, FieldReader& fields) {
  devices::Class device_class;
  Value metadata = fields.object(object, "metadata");
  Value spec = fields.object(object, "spec");
  device_class.name = text(metadata, "name", fields);
  device_class.created = text(metadata, "creationTimestamp", fields);
  device_class.selectors = selectors_of(spec, fields);
  device_class.config = configs(spec, fields);
  device_class.extended_resource = text(spec, "extendedResourceName", fields);
  return device_class;
}

void decode_claim_spec(Value spec, devices::Claim& claim, FieldReader& fields) {
  Value wanted = fields.object(spec, "devices");
  for (Value request : fields.list(wanted, "requests").items()) {
    claim.requests.push_back(request_of(request, fields));
  }
  for (Value constraint : fields.list(wanted, "constraints").items()) {
    claim.constraints.push_back({texts(constraint, "requests", fields),
                                 text(constraint, "matchAttribute", fields),
                                 text(constraint, "distinctAttribute", fields)});
  }
  claim.config = configs(wanted, fields);
}

devices::Claim decode_device_claim(Value object, FieldReader& fields) {
  devices::Claim claim;
  Value metadata = fields.object(object, "metadata");
  claim.name = text(metadata, "name", fields);
  claim.name_space = text(metadata, "namespace", fields);
  decode_claim_spec(fields.object(object, "spec"), claim, fields);
  Value allocation = fields.object(fields.object(object, "status"), "allocation");
  if (!allocation.absent()) claim.allocation = allocation_of(allocation, fields);
  return claim;
}

}  // namespace trellis
