#include <utility>

#include "server/devices/decode_devices.h"
#include "server/devices/decode_parts.h"

namespace trellis {
namespace {

using namespace device_parts;

devices::Selectors selectors_of(Value list) {
  devices::Selectors selectors;
  for (Value item : list.items()) selectors.push_back(text(item["cel"]["expression"]));
  return selectors;
}

devices::Mode mode_of(Value value) {
  std::string_view mode = value.text();
  if (mode.empty() || mode == "ExactCount") return devices::Mode::Count;
  return mode == "All" ? devices::Mode::All : devices::Mode::Unknown;
}

devices::Alternative alternative_of(Value value, std::string name) {
  devices::Alternative alternative;
  alternative.name = std::move(name);
  alternative.device_class = text(value["deviceClassName"]);
  alternative.selectors = selectors_of(value["selectors"]);
  alternative.mode = mode_of(value["allocationMode"]);
  alternative.count = integer(value["count"], 1);
  alternative.admin_access = value["adminAccess"].boolean();
  alternative.derives_attributes = value["derivedAttributes"].size() > 0;
  alternative.tolerations = tolerations(value["tolerations"]);
  alternative.capacity = amounts(value["capacity"]["requests"]);
  return alternative;
}

devices::Request request_of(Value value) {
  devices::Request request;
  request.name = text(value["name"]);
  for (Value alternative : value["firstAvailable"].items()) {
    request.alternatives.push_back(alternative_of(alternative, text(alternative["name"])));
  }
  if (!request.alternatives.empty()) return request;
  // v1beta1 has the fields in the request itself.
  Value exactly = value["exactly"].absent() ? value : value["exactly"];
  request.alternatives.push_back(alternative_of(exactly, ""));
  return request;
}

devices::Result result_of(Value value) {
  devices::Result result;
  result.request = text(value["request"]);
  result.id = {text(value["driver"]), text(value["pool"]), text(value["device"])};
  result.admin_access = value["adminAccess"].boolean();
  result.shared = !value["shareID"].absent();
  result.tolerations = tolerations(value["tolerations"]);
  result.consumed = amounts(value["consumedCapacity"]);
  result.binding_conditions = texts(value["bindingConditions"]);
  result.binding_failures = texts(value["bindingFailureConditions"]);
  return result;
}

devices::Allocation allocation_of(Value value) {
  devices::Allocation allocation;
  for (Value result : value["devices"]["results"].items()) {
    allocation.results.push_back(result_of(result));
  }
  allocation.config = configs(value["devices"]["config"]);
  std::vector<devices::NodeTerm> terms = node_terms(value["nodeSelector"]);
  if (!terms.empty()) allocation.nodes = std::move(terms[0]);
  return allocation;
}

}  // namespace

devices::Class decode_device_class(Value object) {
  devices::Class device_class;
  device_class.name = text(object["metadata"]["name"]);
  device_class.created = text(object["metadata"]["creationTimestamp"]);
  device_class.selectors = selectors_of(object["spec"]["selectors"]);
  device_class.config = configs(object["spec"]["config"]);
  device_class.extended_resource = text(object["spec"]["extendedResourceName"]);
  return device_class;
}

void decode_claim_spec(Value spec, devices::Claim& claim) {
  Value wanted = spec["devices"];
  for (Value request : wanted["requests"].items()) claim.requests.push_back(request_of(request));
  for (Value constraint : wanted["constraints"].items()) {
    claim.constraints.push_back({texts(constraint["requests"]), text(constraint["matchAttribute"]),
                                 text(constraint["distinctAttribute"])});
  }
  claim.config = configs(wanted["config"]);
}

devices::Claim decode_device_claim(Value object) {
  devices::Claim claim;
  claim.name = text(object["metadata"]["name"]);
  claim.name_space = text(object["metadata"]["namespace"]);
  decode_claim_spec(object["spec"], claim);
  Value allocation = object["status"]["allocation"];
  if (!allocation.absent()) claim.allocation = allocation_of(allocation);
  return claim;
}

}  // namespace trellis
