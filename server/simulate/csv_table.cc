#include "server/simulate/csv_table.h"

#include <algorithm>

#include "framework/ascii.h"

namespace trellis {
namespace {

std::string plain_name(std::string_view name) {
  std::string plain;
  for (char c : lower(name)) {
    if (c != ' ' && c != '_' && c != '-') plain += c;
  }
  return plain;
}

}  // namespace

CsvTable::CsvTable(std::string_view text) : rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  if (!next()) return;
  for (const std::string& name : row_) names_.push_back(plain_name(name));
}

std::optional<size_t> CsvTable::find(std::string_view name) const {
  auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<size_t>(found - names_.begin());
}

bool CsvTable::next() {
  while (read_row()) {
    bool empty = row_.size() == 1 && row_.front().empty();
    if (!empty) return true;
  }
  return false;
}

std::string_view CsvTable::field(size_t column) const {
  return column < row_.size() ? std::string_view(row_[column]) : std::string_view();
}

bool CsvTable::read_row() {
  row_.clear();
  if (rest_.empty()) return false;
  line_ = next_line_;
  row_.emplace_back();
  bool quoted = false;
  size_t at = 0;
  for (; at < rest_.size(); ++at) {
    char c = rest_[at];
    if (c == '\n') ++next_line_;
    if (c == '"') {
      bool doubled = quoted && at + 1 < rest_.size() && rest_[at + 1] == '"';
      if (doubled) {
        row_.back() += rest_[++at];
      } else {
        quoted = !quoted;
      }
    } else if (quoted) {
      row_.back() += c;
    } else if (c == '\n') {
      break;
    } else if (c == ',') {
      row_.emplace_back();
    } else if (c != '\r') {
      row_.back() += c;
    }
  }
  rest_.remove_prefix(std::min(at + 1, rest_.size()));
  return true;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace trellis
