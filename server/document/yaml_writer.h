// Writes YAML in block style, two spaces a level; empty containers as {} and [].
#pragma once

#include <string_view>
#include <vector>

#include "server/document/document_writer.h"

namespace trellis {

class YamlWriter : public DocumentWriter {
 public:
  explicit YamlWriter(ByteSink& sink) : DocumentWriter(sink) {}

  using DocumentWriter::begin_array;
  using DocumentWriter::begin_object;
  void begin_object() override { open(Kind::Object); }
  void end_object() override { close("{}"); }
  void begin_array() override { open(Kind::Array); }
  void end_array() override { close("[]"); }
  void key(std::string_view name) override;

 protected:
  void before_value() override;
  void scalar_text(std::string_view value) override;

 private:
  enum class Kind { Object, Array };
  // What was written last; the position of the next token depends on it.
  enum class Place { DocumentStart, AfterKey, AfterDash, LineDone };
  struct Container {
    Kind kind;
    size_t indent;
    bool empty = true;
    Place opened_at;
  };

  void open(Kind kind);
  void close(std::string_view when_empty);
  void start_member();

  std::vector<Container> open_;
  Place place_ = Place::DocumentStart;
};

// Whether `text` without quotes is read back as the same string.
bool is_plain_yaml(std::string_view text);

}  // namespace trellis
