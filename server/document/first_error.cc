#include "server/document/first_error.h"

#include <string>

#include "server/document/diagnostic.h"

namespace trellis {

std::shared_ptr<const ObjectError> FirstError::in(std::string_view kind,
                                                  std::string_view name) const {
  const Diagnostic* first = report_.awaited_error();
  if (first == nullptr) return nullptr;
  Diagnostic placeless = *first;
  placeless.file.clear();
  placeless.document = 0;
  std::string object(kind);
  object.append(" ").append(name);
  return std::make_shared<const ObjectError>(
      ObjectError{.object = std::move(object), .text = to_string(placeless)});
}

}  // namespace trellis
