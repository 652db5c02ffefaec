#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 3> kSpecKeys = {"podSets", "provisioningClassName",
                                                       "parameters"};

// The state that a condition means; nullopt: none, or it does not hold.
std::optional<NodeRequestState> state_of(Value condition) {
  std::string_view type = condition["type"].text();
  std::string_view status = condition["status"].text();
  if (type == "Provisioned" && status == "False") return NodeRequestState::NotProvisioned;
  if (status != "True") return std::nullopt;
  if (type == "Accepted") return NodeRequestState::Accepted;
  if (type == "Provisioned") return NodeRequestState::Provisioned;
  if (type == "BookingExpired") return NodeRequestState::BookingExpired;
  if (type == "CapacityRevoked") return NodeRequestState::CapacityRevoked;
  if (type == "Failed") return NodeRequestState::Failed;
  return std::nullopt;
}

// Of conditions that hold together, the one that comes last in the life of a request counts.
void decode_conditions(Value status, NodeRequest& request, FieldReader& fields) {
  for (Value condition : fields.list(status, "conditions").items()) {
    TimeUs since = fields.time(condition, "lastTransitionTime");
    std::optional<NodeRequestState> state = state_of(condition);
    if (!state || *state < request.state) continue;
    request.state = *state;
    request.reason = condition["reason"].text();
    request.message = condition["message"].text();
    request.since = since;
  }
}

}  // namespace

NodeRequestRecord decode_node_request(NamedObject named, FieldReader& fields) {
  NodeRequest request;
  request.name_space = named.meta.key.name_space;
  request.name = std::move(named.name);
  std::string_view gang = named.object["metadata"]["annotations"][kForGangKey].text();
  if (!gang.empty()) {
    std::string key(fields.vocabulary().strings.view(request.name_space));
    request.gang = fields.intern(key.append("/").append(gang));
  }
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kSpecKeys);
  request.class_name = fields.string(spec, "provisioningClassName");
  decode_conditions(fields.object(named.object, "status"), request, fields);
  return {std::move(named.meta), std::move(request)};
}

}  // namespace trellis
