// JSON, from bytes to records; and whether this reader and nlohmann's agree on what JSON is.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "server/document/json_scanner.h"
#include "tests/fuzz/reading.h"

namespace {

using namespace trellis;

void compare_with_nlohmann(const std::string& text) {
  bool theirs = true;
  try {
    nlohmann::json parsed = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error&) {
    theirs = false;
  } catch (const nlohmann::json::out_of_range&) {
    return;  // a number is too large for it, where this reader keeps the digits
  }

  Document document;
  DocumentBuilder builder(document);
  JsonScanner scanner(text);
  bool ours = scanner.read_value(builder);
  if (!ours && scanner.error().found.starts_with("nesting")) return;
  scanner.skip_space();
  ours = ours && scanner.at_end();
  fuzz::require(ours == theirs, "both readers agree");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::check_reading("in.json", text);
  // nlohmann's takes a zero byte for the end of the text.
  if (text.find('\0') == std::string::npos) compare_with_nlohmann(text);
  return 0;
}
