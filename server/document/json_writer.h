// Writes JSON. Containers nested less deep than `expanded_depth` have each member on a line of its
// own; deeper containers are on one line, so that a record is a line that grep and diff can use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/document/document_writer.h"

namespace trellis {

// For a document that consists of lists of records: each record is on one line.
inline constexpr size_t kRecordDepth = 2;

class JsonWriter : public DocumentWriter {
 public:
  JsonWriter(ByteSink& sink, size_t expanded_depth)
      : DocumentWriter(sink), expanded_depth_(expanded_depth) {}

  using DocumentWriter::begin_array;
  using DocumentWriter::begin_object;
  void begin_object() override { open('{'); }
  void end_object() override { close('}'); }
  void begin_array() override { open('['); }
  void end_array() override { close(']'); }
  void key(std::string_view name) override;

 protected:
  void before_value() override;
  void scalar_text(std::string_view value) override;

 private:
  void open(char bracket);
  void close(char bracket);
  void next_member();
  void new_line();

  size_t expanded_depth_;
  std::vector<size_t> members_;  // of each open container, outermost first
  bool after_key_ = false;
};

}  // namespace trellis
