#include "server/objects/owner_end.h"

#include <string_view>

namespace trellis {
namespace {

OwnerEnd end_of(std::string_view word) {
  if (word == "Complete" || word == "Completed" || word == "Succeeded") return OwnerEnd::Succeeded;
  return word == "Failed" ? OwnerEnd::Failed : OwnerEnd::None;
}

}  // namespace

OwnerEnd owner_end(Value object) {
  Value status = object["status"];
  for (Value condition : status["conditions"].items()) {
    OwnerEnd end = end_of(condition["type"].text());
    if (end != OwnerEnd::None && condition["status"].text() == "True") return end;
  }
  return end_of(status["jobDeploymentStatus"].text());
}

}  // namespace trellis
