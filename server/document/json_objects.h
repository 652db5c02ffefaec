// Helpers for JSON objects that are read, changed in a few fields, and written again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace trellis {

using Json = nlohmann::ordered_json;

// The object below `key`, made where there is none. A new key invalidates references to its
// neighbours.
inline Json& object_at(Json& parent, const char* key) {
  Json& child = parent[key];
  if (!child.is_object()) child = Json::object();
  return child;
}

inline bool holds_text(const Json& object, const char* key, std::string_view text) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() &&
         found->get_ref<const std::string&>() == text;
}

inline std::string text_at(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Removes `key` from the object below `parent`, and that object when nothing is left of it.
inline void erase_from(Json& object, const char* parent, const char* key) {
  auto found = object.find(parent);
  if (found == object.end() || !found->is_object()) return;
  found->erase(key);
  if (found->empty()) object.erase(parent);
}

// Returns a value that is not an object when `text` is not valid JSON.
inline Json parse_object(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

inline std::string one_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trellis
