// JSON, from bytes to records; and whether this reader and simdjson agree on what JSON is.

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "server/document/json_scanner.h"
#include "tests/fuzz/reading.h"

namespace {

using namespace trellis;

void compare_with_simdjson(const std::string& text) {
  // simdjson takes half of a surrogate pair for a character, and a number for too large, where this
  // reader keeps its digits.
  if (text.find("\\u") != std::string::npos) return;
  simdjson::dom::parser parser;
  simdjson::error_code theirs = parser.parse(text).error();
  if (theirs == simdjson::NUMBER_ERROR) return;

  Document document;
  DocumentBuilder builder(document);
  JsonScanner scanner(text);
  bool ours = scanner.read_value(builder);
  if (!ours && scanner.error().found.starts_with("nesting")) return;
  scanner.skip_space();
  ours = ours && scanner.at_end();
  fuzz::require(ours == (theirs == simdjson::SUCCESS), "both readers agree");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::check_reading("in.json", text);
  if (!text.starts_with("\xEF\xBB\xBF")) compare_with_simdjson(text);
  return 0;
}
