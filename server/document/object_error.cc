#include "server/document/object_error.h"

#include <utility>

#include "server/document/diagnostic.h"

namespace trellis {

Reason invalid_object(const ObjectError& error) {
  return {.code = ReasonCode::InvalidObject, .subject = error.object + ": " + error.text};
}

Reason invalid_value(std::string path, const Finding& finding) {
  Diagnostic placeless{.severity = Severity::Error,
                       .path = std::move(path),
                       .found = finding.found,
                       .expected = finding.expected,
                       .nearest = finding.nearest};
  return {.code = ReasonCode::InvalidObject, .subject = to_string(placeless)};
}

Reason misconfigured(const ObjectError& error) {
  return {.code = ReasonCode::Misconfigured, .subject = error.text};
}

Reason misconfigured_by(const ObjectError& error) {
  return {.code = ReasonCode::Misconfigured, .subject = error.object + ": " + error.text};
}

}  // namespace trellis
