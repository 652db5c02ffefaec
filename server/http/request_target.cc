#include "server/http/request_target.h"

#include <optional>
#include <utility>

namespace trellis {
namespace {

enum class Plus { Literal, Space };

int hex_digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' && plus == Plus::Space ? ' ' : text[i];
      continue;
    }
    int high = i + 2 < text.size() ? hex_digit_of(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? hex_digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

tl::unexpected<Error> not_understood(std::string_view part) {
  return error("\"" + std::string(part) + "\": expected %XX with two hexadecimal digits after a %");
}

// The front of `rest` up to `separator`, which is dropped.
std::string_view next_part(std::string_view& rest, char separator) {
  size_t end = rest.find(separator);
  std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::string_view without_authority(std::string_view target) {
  if (!target.starts_with("http://")) return target;
  size_t slash = target.find('/', 7);
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

Result<RequestTarget> parse_path(std::string_view path) {
  if (!path.starts_with('/')) {
    return error("\"" + std::string(path) + "\": expected a path that begins with /");
  }
  RequestTarget target;
  for (std::string_view rest = path.substr(1); !rest.empty();) {
    std::string_view part = next_part(rest, '/');
    std::optional<std::string> segment = decoded(part, Plus::Literal);
    if (!segment) return not_understood(part);
    target.path += '/';
    target.path += *segment;
    target.segments.push_back(std::move(*segment));
  }
  if (target.path.empty()) target.path = "/";
  return target;
}

}  // namespace

Result<RequestTarget> parse_request_target(std::string_view target) {
  std::string_view rest = without_authority(target);
  rest = rest.substr(0, rest.find('#'));
  Result<RequestTarget> parsed = parse_path(next_part(rest, '?'));
  if (!parsed) return parsed;
  while (!rest.empty()) {
    std::string_view pair = next_part(rest, '&');
    if (pair.empty()) continue;
    std::string_view value = pair;
    std::optional<std::string> key = decoded(next_part(value, '='), Plus::Space);
    std::optional<std::string> text = decoded(value, Plus::Space);
    if (!key || !text) return not_understood(pair);
    if (!parsed->query.try_emplace(*key, std::move(*text)).second) {
      return error("the parameter \"" + *key + "\" is given twice");
    }
  }
  return parsed;
}

}  // namespace trellis
