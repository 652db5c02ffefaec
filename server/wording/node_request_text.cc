#include "server/wording/node_request_text.h"

#include <array>

namespace trellis {
namespace {

struct StateWords {
  std::string_view name;
  std::string_view sentence;
};

// In the order of the states.
constexpr std::array<StateWords, 7> kStates = {{
    {"Unanswered", "has no answer yet"},
    {"Accepted", "is accepted"},
    {"NotProvisioned", "has found no room yet"},
    {"Provisioned", "has its room"},
    {"BookingExpired", "keeps its room no longer"},
    {"CapacityRevoked", "has lost its room"},
    {"Failed", "has failed"},
}};

const StateWords& words_of(NodeRequestState state) { return kStates[static_cast<size_t>(state)]; }

}  // namespace

std::string_view to_string(NodeRequestState state) { return words_of(state).name; }

std::string node_request_text(const NodeRequest& request) {
  std::string text = "ProvisioningRequest " + request.name + " ";
  text += words_of(request.state).sentence;
  const std::string& why = request.message.empty() ? request.reason : request.message;
  return why.empty() ? text : text + ": " + why;
}

}  // namespace trellis
