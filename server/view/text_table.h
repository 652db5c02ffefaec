// Rows of cells in columns that line up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/text/style.h"

namespace trellis {

struct Cell {
  std::string text;
  Style style = Style::Plain;
};

enum class Align : uint8_t { Left, Right };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // What would not print of a cell becomes visible (printable.h). REQUIRES: one cell a column.
  void add_row(std::vector<Cell> cells);
  std::string render(Colours colours) const;

 private:
  std::string render_row(const std::vector<Cell>& cells, const std::vector<size_t>& widths,
                         Colours colours) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Rows that a table of an explanation has at most.
inline constexpr size_t kRowsShown = 20;

// A line below such a table that says how many of `all` rows it leaves out; empty when none.
std::string more_text(size_t all, std::string_view what);

// How many columns of a terminal `text` takes (of UTF-8, one a character).
size_t display_width(std::string_view text);

}  // namespace trellis
