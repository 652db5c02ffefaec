// A table of comma-separated values (RFC 4180): a head of names, and rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// Reads the rows of a text one by one. Cost: O(bytes), with one row in memory.
class CsvTable {
 public:
  // Reads the head. `text` must outlive the table.
  explicit CsvTable(std::string_view text);

  // Names of the head, in small letters without spaces, hyphens and underscores.
  const std::vector<std::string>& names() const { return names_; }
  std::optional<size_t> find(std::string_view name) const;

  // Goes on to the next row that is not empty; false: there is none.
  bool next();
  size_t line() const { return line_; }  // of the row, from 1
  size_t fields() const { return row_.size(); }
  // "" where the row is too short.
  std::string_view field(size_t column) const;

 private:
  bool read_row();

  std::string_view rest_;
  size_t line_ = 0;
  size_t next_line_ = 1;
  std::vector<std::string> names_;
  std::vector<std::string> row_;
};

// The field as it stands in a row: in quotes where it must be.
std::string csv_field(std::string_view text);

}  // namespace trellis
