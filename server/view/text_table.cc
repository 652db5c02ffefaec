#include "server/view/text_table.h"

#include <algorithm>

#include "server/text/printable.h"
#include "server/wording/quantity_text.h"

namespace trellis {

size_t display_width(std::string_view text) {
  auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

void TextTable::add_row(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

std::string TextTable::render_row(const std::vector<Cell>& cells, const std::vector<size_t>& widths,
                                  Colours colours) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - display_width(cells[i].text), ' ');
    bool right = columns_[i].align == Align::Right;
    if (i > 0) line += "  ";
    if (right) line += padding;
    line += styled(cells[i].text, cells[i].style, colours);
    // A line has no blanks at its end.
    if (!right && i + 1 < cells.size()) line += padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string TextTable::render(Colours colours) const {
  std::vector<Cell> header;
  std::vector<size_t> widths;
  for (const Column& column : columns_) {
    header.push_back({column.title, Style::Bold});
    widths.push_back(display_width(column.title));
  }
  for (const std::vector<Cell>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  std::string text = render_row(header, widths, colours);
  for (const std::vector<Cell>& row : rows_) text += render_row(row, widths, colours);
  return text;
}

std::string more_text(size_t all, std::string_view what) {
  if (all <= kRowsShown) return "";
  return grouped_text(static_cast<int64_t>(all - kRowsShown)) + " more " + std::string(what) +
         "; -o json lists them all\n";
}

}  // namespace trellis
