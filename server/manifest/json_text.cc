#include "server/manifest/json_text.h"

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
  std::vector<uint32_t> dropped;  // keys
  auto drop = [&dropped](Value member) {
    if (member.exists()) dropped.push_back(member.index() - 1);
  };
  drop(metadata["managedFields"]);
  if (!additions.name.empty()) drop(metadata["name"]);
  for (Value member : left_out) drop(member);
  std::sort(dropped.begin(), dropped.end());
  auto next_dropped = dropped.begin();

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
    const Document::Element& element = document.element(at);
    if (key) {
      while (next_dropped != dropped.end() && *next_dropped < at) ++next_dropped;
      if (next_dropped != dropped.end() && *next_dropped == at) {
        at = document.after(at + 1);
        continue;
      }
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
