#include "server/fabric/node_list.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "server/document/document.h"

namespace trellis {
namespace {

constexpr size_t kMostDigits = 18;

std::optional<int64_t> to_number(std::string_view text) {
  int64_t value = 0;
  if (text.empty() || text.size() > kMostDigits || text.front() == '-') return std::nullopt;
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string padded(int64_t value, size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

// What stands between two brackets: "01-16,20". nullopt: it is no such list.
std::optional<std::vector<std::string>> expand_ranges(std::string_view ranges) {
  std::vector<std::string> values;
  while (true) {
    std::string_view range = ranges.substr(0, ranges.find(','));
    size_t dash = range.find('-');
    std::string_view first = range.substr(0, dash);
    std::optional<int64_t> from = to_number(first);
    std::optional<int64_t> to =
        dash == std::string_view::npos ? from : to_number(range.substr(dash + 1));
    if (!from || !to || *to < *from) return std::nullopt;
    if (static_cast<size_t>(*to - *from) >= kMostListedNodes - values.size()) return std::nullopt;
    for (int64_t i = *from; i <= *to; ++i) values.push_back(padded(i, first.size()));
    if (range.size() == ranges.size()) return values;
    ranges.remove_prefix(range.size() + 1);
  }
}

// One name with brackets. False: it is none.
bool expand_name(std::string_view name, std::vector<std::string>& all) {
  std::vector<std::string> names = {""};
  while (!name.empty()) {
    size_t open = name.find_first_of("[]");
    for (std::string& begun : names) begun += name.substr(0, open);
    if (open == std::string_view::npos) break;
    size_t close = name.find(']', open);
    if (name[open] == ']' || close == std::string_view::npos) return false;
    std::optional<std::vector<std::string>> values =
        expand_ranges(name.substr(open + 1, close - open - 1));
    if (!values || names.size() * values->size() > kMostListedNodes) return false;
    std::vector<std::string> longer;
    for (const std::string& begun : names) {
      for (const std::string& value : *values) longer.push_back(begun + value);
    }
    names = std::move(longer);
    name.remove_prefix(close + 1);
  }
  if (all.size() + names.size() > kMostListedNodes) return false;
  all.insert(all.end(), names.begin(), names.end());
  return true;
}

// Up to the next comma outside of brackets.
std::string_view first_name(std::string_view list) {
  bool inside = false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') inside = true;
    if (list[i] == ']') inside = false;
    if (list[i] == ',' && !inside) return list.substr(0, i);
  }
  return list;
}

}  // namespace

Result<std::vector<std::string>> expand_node_list(std::string_view list) {
  std::vector<std::string> all;
  while (true) {
    std::string_view name = first_name(list);
    if (name.empty() || !expand_name(name, all)) {
      return error(in_quotes(name.empty() ? list : name));
    }
    if (name.size() == list.size()) return all;
    list.remove_prefix(name.size() + 1);
  }
}

}  // namespace trellis
