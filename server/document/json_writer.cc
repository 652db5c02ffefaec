#include "server/document/json_writer.h"

namespace trellis {

void JsonWriter::new_line() {
  put('\n');
  for (size_t i = 0; i < members_.size(); ++i) put(' ');
}

void JsonWriter::next_member() {
  if (members_.empty()) return;
  if (members_.back()++ > 0) put(',');
  if (members_.size() <= expanded_depth_) new_line();
}

void JsonWriter::before_value() {
  if (!after_key_) next_member();
  after_key_ = false;
}

void JsonWriter::key(std::string_view name) {
  next_member();
  scalar_text(name);
  put(':');
  after_key_ = true;
}

void JsonWriter::scalar_text(std::string_view value) {
  std::string quoted;
  append_quoted(quoted, value);
  put(quoted);
}

void JsonWriter::open(char bracket) {
  before_value();
  put(bracket);
  members_.push_back(0);
}

void JsonWriter::close(char bracket) {
  bool expanded = members_.size() <= expanded_depth_ && members_.back() > 0;
  members_.pop_back();
  if (expanded) new_line();
  put(bracket);
}

}  // namespace trellis
