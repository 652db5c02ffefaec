#include "framework/check.h"

#include <string>
#include <string_view>

namespace trellis {
namespace {

// Of "... StrongId<QueueTag> ...": "Queue".
std::string id_name(std::string_view signature) {
  size_t tag = signature.find("Tag");
  if (tag == std::string_view::npos) return "an";
  size_t begin = signature.find_last_of(":<( ", tag) + 1;
  return std::string(signature.substr(begin, tag - begin));
}

}  // namespace

void break_check(const char* what, const std::source_location& where) {
  throw BrokenCheck("broken check: " + std::string(what) + " (" + where.file_name() + ":" +
                    std::to_string(where.line()) + ")");
}

void break_bounds(uint32_t id, size_t size, const char* table) {
  std::string found = id == UINT32_MAX ? "none" : std::to_string(id);
  throw BrokenCheck("broken check: a " + id_name(table) + " id is one of its table (found " +
                    found + ", of " + std::to_string(size) + ")");
}

}  // namespace trellis
