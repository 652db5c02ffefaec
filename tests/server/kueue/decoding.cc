#include "tests/server/kueue/decoding.h"

#include <utility>

#include "server/document/json_scanner.h"
#include "server/document/report.h"
#include "server/kueue/assignment_decoder.h"
#include "server/kueue/assignment_text.h"

namespace trellis::test {

Decoding decode(const std::string& json) {
  Document document;
  DocumentBuilder builder(document);
  JsonScanner scanner(json);
  Decoding decoding;
  if (!scanner.read_value(builder)) {
    decoding.diagnostics.push_back("no JSON: " + scanner.error().found);
    return decoding;
  }
  Report report;
  report.begin_file("in.json", 0);
  FieldReader fields(*decoding.vocabulary, report);
  decoding.assignment = decode_assignment(document.root(), fields);
  for (const Diagnostic& diagnostic : report.take()) {
    decoding.diagnostics.push_back(to_string(diagnostic));
  }
  return decoding;
}

std::string Decoding::text() const {
  AssignmentText shown(*assignment, vocabulary->strings);
  std::string text;
  for (std::string_view level : shown.levels)
    text += (text.empty() ? "" : ",") + std::string(level);
  text += ":";
  for (size_t domain = 0; domain < shown.domains(); ++domain) {
    for (size_t level = 0; level < shown.levels.size(); ++level) {
      text += (level == 0 ? " " : "/") + std::string(shown.value(domain, level));
    }
    text += "*" + std::to_string(shown.counts[domain]);
  }
  return text;
}

}  // namespace trellis::test
