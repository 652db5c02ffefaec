// Rows and counts of what changes between two cycles.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "server/output/text_table.h"

namespace trellis {

// Rows of each kind of change at the most.
inline constexpr size_t kChangesShown = 40;

struct ChangeRow {
  std::string name;
  std::string before;
  std::string after;
};

class ChangeTable {
 public:
  explicit ChangeTable(std::string title)
      : table_({{"CHANGE"}, {std::move(title)}, {"BEFORE"}, {"AFTER"}}) {}

  // As many of `count` rows as have room; `row(i)` makes one.
  void add_kind(std::string_view word, Style style, size_t count,
                const std::function<ChangeRow(size_t)>& row);

  // With what had no room counted, and an empty line; "" without any row.
  std::string render(Colours colours) const;

 private:
  TextTable table_;
  std::string more_;
  bool any_ = false;
};

// `1 moves`, `2 move`.
std::string count_text(size_t count, std::string_view verb, std::string_view verbs);

}  // namespace trellis
