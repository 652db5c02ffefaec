// Node affinity, taints and tolerations: from JSON to what they select.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/selectors.h"
#include "framework/vocabulary.h"
#include "server/document/json_reader.h"
#include "server/objects/decode_selectors.h"
#include "tests/fuzz/reading.h"

namespace {

using namespace trellis;

void check_requirement(Requirement requirement, const StringTable& strings,
                       const std::vector<StrId>& values) {
  for (StrId value : values) {
    bool matched = matches(requirement, value, strings);
    Requirement other = requirement;
    switch (requirement.op) {
      case SelectorOp::In:
        other.op = SelectorOp::NotIn;
        fuzz::require(matched != matches(other, value, strings), "NotIn is the opposite of In");
        break;
      case SelectorOp::Exists:
        other.op = SelectorOp::DoesNotExist;
        fuzz::require(matched != matches(other, value, strings), "so it is for Exists");
        break;
      case SelectorOp::Gt:
        other.op = SelectorOp::Lt;
        fuzz::require(!matched || !matches(other, value, strings), "Gt and Lt exclude each other");
        break;
      default:
        break;
    }
  }
}

void check_document(const Document& document) {
  Vocabulary vocabulary;
  Report report;
  report.begin_file("in.json", 0);
  FieldReader fields(vocabulary, report);
  PodSpec spec;
  decode_node_affinity(document.root(), spec, fields);
  std::vector<Toleration> tolerations = decode_tolerations(document.root(), fields);
  std::vector<Taint> taints = decode_taints(document.root(), fields);
  fields.labels(document.root(), "nodeSelector");
  if (report.errors() > 0) return;

  std::vector<StrId> values = {StrId(), StringTable::kEmpty, vocabulary.strings.intern("5")};
  auto check_term = [&](const SelectorTerm& term) {
    for (const Requirement& requirement : term.labels) {
      values.insert(values.end(), requirement.values.begin(), requirement.values.end());
      check_requirement(requirement, vocabulary.strings, values);
    }
  };
  for (const SelectorTerm& term : spec.required_affinity) check_term(term);
  for (const PreferredTerm& term : spec.preferred_affinity) {
    fuzz::require(term.weight >= 1 && term.weight <= 100, "weights are within bounds");
    check_term(term.term);
  }
  const Taint* first = untolerated(taints, tolerations);
  if (first != nullptr) {
    for (const Toleration& toleration : tolerations) {
      fuzz::require(!tolerates(toleration, *first), "nothing tolerates what is not tolerated");
    }
  }
  Toleration all;
  all.op = Toleration::Op::Exists;
  fuzz::require(untolerated(taints, std::vector<Toleration>{all}) == nullptr,
                "Exists without a key tolerates everything");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<Diagnostic> diagnostics;
  ReadSink sink{"in.json",
                &diagnostics,
                [](const Document& document, const ListHead&) { check_document(document); },
                {}};
  read_json(text, sink);
  return 0;
}
