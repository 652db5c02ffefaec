// Builds one YAML document from libyaml's events.
#pragma once

#include <yaml.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/document_builder.h"
#include "server/document/document_sink.h"

namespace trellis {

// The number of values that the aliases of a text may expand to, in addition to one for each byte
// of the text. It is far above real uses of anchors, and far below what a few lines of them can
// expand to.
inline constexpr size_t kMaxCopied = 1'000'000;

class YamlDocument {
 public:
  // `first_line`: the line of the file that libyaml calls 0.
  // `copies_left`: the number of values that the aliases of the text may still expand to.
  YamlDocument(Document& document, const ReadSink& sink, uint32_t first_line, size_t& copies_left);

  // Takes any event between the start and the end of a document.
  void take(const yaml_event_t& event);
  // True: the document was given up, and its remaining events need not be taken.
  bool given_up() const { return given_up_; }
  // Ends the document. False: it cannot be used, and its errors have been reported.
  bool finish();

 private:
  struct Open {
    bool object = false;
    bool at_key = false;  // an object's next event is a key
    std::string anchor;
    std::vector<uint32_t> merges;  // keys `<<`
  };

  void take_scalar(const yaml_event_t& event, uint32_t line);
  void take_key(std::string_view text, bool plain, uint32_t line);
  void take_alias(std::string_view anchor, uint32_t line);
  void open(bool object, const yaml_char_t* anchor, const yaml_char_t* tag, uint32_t line);
  void close();
  void merge(const Open& object);
  bool begin_value(uint32_t line);  // false: a key was expected, and the value is none
  void end_value();
  bool spend(size_t elements, uint32_t line);
  void report_depth(uint32_t line);
  void report(uint32_t line, std::string found, std::string expected);

  DocumentBuilder builder_;
  const ReadSink& sink_;
  uint32_t first_line_;
  std::vector<Open> open_;
  std::map<std::string, DocumentBuilder::Elements, std::less<>> anchors_;
  size_t& copies_left_;
  bool broken_ = false;
  bool given_up_ = false;
};

}  // namespace trellis
