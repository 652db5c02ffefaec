#include "server/compare/change_text.h"

#include <algorithm>
#include <utility>

#include "server/wording/quantity_text.h"

namespace trellis {

void ChangeTable::add_kind(std::string_view word, Style style, size_t count,
                           const std::function<ChangeRow(size_t)>& row) {
  any_ = any_ || count > 0;
  for (size_t i = 0; i < std::min(count, kChangesShown); ++i) {
    ChangeRow made = row(i);
    table_.add_row({{std::string(word), style},
                    {std::move(made.name)},
                    {std::move(made.before)},
                    {std::move(made.after)}});
  }
  if (count <= kChangesShown) return;
  more_ += grouped_text(static_cast<int64_t>(count - kChangesShown)) + " more " +
           std::string(word) + "; -o json lists them all\n";
}

std::string ChangeTable::render(Colours colours) const {
  return any_ ? table_.render(colours) + more_ + "\n" : "";
}

std::string count_text(size_t count, std::string_view verb, std::string_view verbs) {
  return grouped_text(static_cast<int64_t>(count)) + " " + std::string(count == 1 ? verb : verbs);
}

}  // namespace trellis
