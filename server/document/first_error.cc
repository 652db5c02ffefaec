#include "server/document/first_error.h"

#include <string>

#include "framework/shared_value.h"
#include "server/document/diagnostic.h"

namespace trellis {

SharedValue<ObjectError> FirstError::in(std::string_view kind, std::string_view name) const {
  const Diagnostic* first = report_.awaited_error();
  if (first == nullptr) return nullptr;
  Diagnostic placeless = *first;
  placeless.file.clear();
  placeless.document = 0;
  std::string object(kind);
  object.append(" ").append(name);
  return SharedValue<ObjectError>(
      ObjectError{.object = std::move(object), .text = to_string(placeless)});
}

}  // namespace trellis
