#include "server/document/json_text.h"

#include <algorithm>
#include <vector>

namespace trellis {
namespace {

void append_scalar(std::string& out, const Document::Element& element) {
  switch (element.kind) {
    case ValueKind::Null:
      out += "null";
      break;
    case ValueKind::Bool:
      out += element.boolean ? "true" : "false";
      break;
    case ValueKind::Number:
      out += element.view();
      break;
    default:
      append_json_string(out, element.view());
  }
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  append_json_string(out, key);
  out += ':';
  append_json_string(out, text);
  out += ',';
}

// The values to leave out. REQUIRES: holds() is called in the order of the document.
class OmittedValues {
 public:
  explicit OmittedValues(std::span<const Value> values) {
    for (Value value : values) add(value);
  }
  void add(Value value) {
    if (value.exists()) places_.push_back(value.index());
  }
  void sort() { std::sort(places_.begin(), places_.end()); }
  bool holds(uint32_t place) {
    while (next_ < places_.size() && places_[next_] < place) ++next_;
    return next_ < places_.size() && places_[next_] == place;
  }

 private:
  std::vector<uint32_t> places_;
  size_t next_ = 0;
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string json_text(Value value) { return json_text(value, {}); }

std::string json_text(Value value, const JsonAdditions& additions) {
  return json_text(value, additions, {});
}

std::string json_text(Value value, const JsonAdditions& additions,
                      std::span<const Value> left_out) {
  if (!value.exists()) return "null";
  const Document& document = *value.document();
  Value metadata = value["metadata"];
  OmittedValues unwritten(left_out);
  unwritten.add(metadata["managedFields"]);
  if (!additions.name.empty()) unwritten.add(metadata["name"]);
  unwritten.sort();

  std::string out;
  struct Open {
    uint32_t end;
    bool object;
  };
  std::vector<Open> open;
  uint32_t at = value.index();
  uint32_t end = document.after(at);
  bool key = false;
  while (at < end || !open.empty()) {
    if (!open.empty() && at >= open.back().end) {
      if (out.back() == ',') out.pop_back();
      out += open.back().object ? '}' : ']';
      open.pop_back();
      out += ',';
      key = !open.empty() && open.back().object;
      continue;
    }
    uint32_t written = key ? at + 1 : at;
    if (unwritten.holds(written)) {
      at = document.after(written);
      continue;
    }
    const Document::Element& element = document.element(at);
    if (key) {
      append_json_string(out, element.view());
      out += ':';
      key = false;
      ++at;
      continue;
    }
    if (element.is_container()) {
      bool object = element.kind == ValueKind::Object;
      out += object ? '{' : '[';
      open.push_back({element.end, object});
      key = object;
      if (at == value.index()) {
        append_member(out, "apiVersion", additions.api_version);
        append_member(out, "kind", additions.kind);
      }
      if (metadata.exists() && at == metadata.index()) append_member(out, "name", additions.name);
    } else {
      append_scalar(out, element);
      out += ',';
      key = !open.empty() && open.back().object;
    }
    ++at;
  }
  if (!out.empty() && out.back() == ',') out.pop_back();
  return out;
}

}  // namespace trellis
