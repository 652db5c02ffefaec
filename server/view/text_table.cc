#include "server/view/text_table.h"

#include <algorithm>

#include "server/text/printable.h"
#include "server/wording/quantity_text.h"

namespace trellis {

namespace {

constexpr size_t kBetween = 2;     // columns
constexpr size_t kLeastWidth = 8;  // of a column that is cut
constexpr std::string_view kCut = "...";

// At most so many characters.
std::string cut(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  size_t keep = width - std::min(width, kCut.size());
  size_t at = 0;
  while (at < text.size() && keep > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    --keep;
  }
  return text.substr(0, at).append(kCut);
}

}  // namespace

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

std::vector<size_t> TextTable::widths_for(TableForm form) const {
  std::vector<size_t> widths;
  size_t line = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = display_width(columns_[i].title);
    for (const std::vector<Cell>& row : rows_) {
      width = std::max(width, display_width(row[i].text));
    }
    widths.push_back(width);
    line += width + (i > 0 ? kBetween : 0);
  }
  if (form.width == 0) return widths;
  while (line > form.width) {
    size_t widest = columns_.size();
    size_t next = 0;  // of the other columns that can become narrower
    for (size_t i = 0; i < columns_.size(); ++i) {
      size_t least = std::max(display_width(columns_[i].title), kLeastWidth);
      if (columns_[i].align == Align::Right || widths[i] <= least) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) {
        next = widest == columns_.size() ? 0 : widths[widest];
        widest = i;
      } else {
        next = std::max(next, widths[i]);
      }
    }
    if (widest == columns_.size()) return widths;
    size_t least = std::max(
        {display_width(columns_[widest].title), kLeastWidth, std::max(next, size_t{1}) - 1});
    size_t less = std::min(line - form.width, widths[widest] - std::min(widths[widest], least));
    less = std::max(less, size_t{1});
    widths[widest] -= less;
    line -= less;
  }
  return widths;
}

std::string TextTable::render(TableForm form) const {
  std::vector<Cell> header;
  for (const Column& column : columns_) header.push_back({column.title, Style::Bold});
  std::vector<size_t> widths = widths_for(form);
  std::string text = render_row(header, widths, form.colours);
  for (const std::vector<Cell>& row : rows_) {
    std::vector<Cell> cells = row;
    for (size_t i = 0; i < cells.size(); ++i) cells[i].text = cut(cells[i].text, widths[i]);
    text += render_row(cells, widths, form.colours);
  }
  return text;
}

std::string more_text(size_t all, std::string_view what) {
  if (all <= kRowsShown) return "";
  return grouped_text(static_cast<int64_t>(all - kRowsShown)) + " more " + std::string(what) +
         "; -o json lists them all\n";
}

}  // namespace trellis
