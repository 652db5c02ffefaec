#include "server/document/diagnostic.h"

#include "server/text/printable.h"

namespace trellis {
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
  return printable(text);
}

}  // namespace trellis
