// Topology assignments: what can be read is written in both forms and reads back the same; and so
// is what names of any bytes make.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "server/document/json_scanner.h"
#include "server/kueue/assignment_decoder.h"
#include "server/kueue/assignment_encoder.h"
#include "tests/fuzz/reading.h"
#include "tests/support/random.h"

namespace {

using namespace trellis;

std::optional<TopologyAssignment> decode(const std::string& text, Vocabulary& vocabulary) {
  Document document;
  DocumentBuilder builder(document);
  if (!JsonScanner(text).read_value(builder)) return std::nullopt;
  Report report;
  report.begin_file("in.json", 0);
  FieldReader fields(vocabulary, report);
  std::optional<TopologyAssignment> assignment = decode_assignment(document.root(), fields);
  fuzz::require(assignment || report.errors() > 0, "what is refused has a reason");
  return assignment;
}

void check_round_trip(const TopologyAssignment& assignment, Vocabulary& vocabulary) {
  for (AssignmentForm form : {AssignmentForm::Compact, AssignmentForm::Plain}) {
    std::string text;
    append_assignment(text, assignment, vocabulary.strings, form);
    std::optional<TopologyAssignment> again = decode(text, vocabulary);
    fuzz::require(again.has_value(), "what is written can be read");
    fuzz::require(*again == assignment, "an assignment reads back");
  }
}

// Names out of few letters, so that they begin and end alike.
void check_names(std::span<const uint8_t> bytes) {
  static const std::vector<std::string> kLetters = {"-",  "a",  "b",        "ab-",
                                                    "\"", "\\", "\xC3\xA9", "\xC3\xA8"};
  ByteStream stream(bytes);
  Vocabulary vocabulary;
  auto intern = [&](std::string_view text) { return vocabulary.strings.intern(text); };
  TopologyAssignment assignment;
  const char* lowest = stream.below(2) == 0 ? "kubernetes.io/hostname" : "node";
  assignment.levels = {intern("rack"), intern(lowest)};
  std::set<std::string> paths;
  while (!stream.empty()) {
    std::string rack(1, static_cast<char>('a' + stream.below(3)));
    std::string name;
    for (uint32_t left = stream.below(12); left > 0; --left) {
      name += kLetters[stream.below(static_cast<uint32_t>(kLetters.size()))];
    }
    if (!paths.insert(rack + name).second) continue;
    assignment.values.push_back(intern(rack));
    assignment.values.push_back(intern(name));
    assignment.counts.push_back(static_cast<int32_t>(stream.below(3)) + 1);
  }
  check_round_trip(assignment, vocabulary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  Vocabulary vocabulary;
  std::optional<TopologyAssignment> assignment = decode(text, vocabulary);
  if (assignment) check_round_trip(*assignment, vocabulary);
  check_names({data, size});
  return 0;
}
