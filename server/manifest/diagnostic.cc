#include "server/manifest/diagnostic.h"

namespace trellis {
namespace {

// Names come from the input: whatever is in them, a diagnostic stays one line.
std::string one_line(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (!text.empty() && diagnostic.line > 0) text += ":" + std::to_string(diagnostic.line);
  if (!text.empty()) text += ": ";
  if (diagnostic.severity != Severity::Error) {
    text += to_string(diagnostic.severity);
    text += ": ";
  }
  if (diagnostic.document > 0) text += "doc " + std::to_string(diagnostic.document) + ": ";
  if (!diagnostic.path.empty()) text += diagnostic.path + ": ";
  if (!diagnostic.expected.empty()) text += "found ";
  text += diagnostic.found;
  if (!diagnostic.expected.empty()) text += ", expected " + diagnostic.expected;
  if (!diagnostic.nearest.empty()) text += "; did you mean \"" + diagnostic.nearest + "\"?";
  return one_line(text);
}

}  // namespace trellis
