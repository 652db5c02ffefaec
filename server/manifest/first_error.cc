#include "server/manifest/first_error.h"

#include <vector>

#include "server/manifest/diagnostic.h"

namespace trellis {

std::optional<Reason> FirstError::misconfigured() const {
  const std::vector<Diagnostic>& all = report_.diagnostics();
  for (size_t i = before_; i < all.size(); ++i) {
    if (all[i].severity != Severity::Error) continue;
    Diagnostic placeless = all[i];
    placeless.file.clear();
    placeless.document = 0;
    return Reason{.code = ReasonCode::Misconfigured, .subject = to_string(placeless)};
  }
  return std::nullopt;
}

}  // namespace trellis
