// A text table: rows of cells in aligned columns.
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

// How a table is written.
struct TableForm {
  Colours colours = Colours::Off;
  size_t width = 0;  // a line has at most so many columns; 0: no limit

  TableForm() = default;
  TableForm(Colours of) : colours(of) {}  // NOLINT: colours alone are a form without a limit
  TableForm(Colours of, size_t columns) : colours(of), width(columns) {}
};

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Characters that do not print become visible (printable.h). REQUIRES: one cell for each column.
  void add_row(std::vector<Cell> cells);
  // Where a line would be too long, the widest cells of the table's left-aligned columns end in
  // "..."; such a column keeps at least its title, or eight characters.
  std::string render(TableForm form) const;

 private:
  std::vector<size_t> widths_for(TableForm form) const;
  std::string render_row(const std::vector<Cell>& cells, const std::vector<size_t>& widths,
                         Colours colours) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// The maximum number of rows in a table of an explanation.
inline constexpr size_t kRowsShown = 20;

// The line below such a table: how many of `all` rows are left out; empty when none is.
std::string more_text(size_t all, std::string_view what);

// The number of terminal columns that `text` takes (one for each character of UTF-8).
size_t display_width(std::string_view text);

}  // namespace trellis
