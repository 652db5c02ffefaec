// Kueue's compact encoding of a large assignment, to text.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/document/json_scanner.h"
#include "server/kueue/assignment_decoder.h"
#include "server/kueue/assignment_encoder.h"
#include "tests/support/node_names.h"

namespace trellis::bench::kueue_encoding {
namespace {

std::vector<std::string> gke_names(size_t nodes) {
  return make_node_names({"gke", [](size_t node, Random&) { return node_names::gke(node); }}, nodes,
                         1);
}

// Names get their ids in the order of nodes, which is not that of names.
TopologyAssignment one_pod_each(size_t nodes, Vocabulary& vocabulary) {
  for (size_t node = 0; node < nodes; ++node) vocabulary.strings.intern(node_names::gke(node));
  TopologyAssignment assignment;
  assignment.levels = {vocabulary.strings.intern("kubernetes.io/hostname")};
  for (const std::string& name : gke_names(nodes)) {
    assignment.values.push_back(vocabulary.strings.find(name));
  }
  assignment.counts.assign(nodes, 1);
  return assignment;
}

std::string encode(const TopologyAssignment& assignment, const Vocabulary& vocabulary) {
  std::string text;
  append_assignment(text, assignment, vocabulary.strings, AssignmentForm::Compact);
  return text;
}

// 1,000 pools of 150 nodes, in order, one pod on each: the assignment, and its text read again.
struct Encoded {
  Encoded() {
    JsonScanner(text).read_value(builder);
    report.begin_file("encoded", 0);
  }

  Vocabulary vocabulary;
  TopologyAssignment assignment = one_pod_each(150000, vocabulary);
  std::string text = encode(assignment, vocabulary);
  Document document;
  DocumentBuilder builder{document};
  Report report;
  FieldReader fields{vocabulary, report};
};

void KueueEncode150k(benchmark::State& state) {
  Encoded once;
  if (decode_assignment(once.document.root(), once.fields) != once.assignment) {
    return state.SkipWithError("does not decode to what was encoded");
  }
  for (auto _ : state) {
    std::string encoded = encode(once.assignment, once.vocabulary);
    benchmark::DoNotOptimize(encoded.data());
  }
  state.counters["bytes"] = static_cast<double>(once.text.size());
}
BENCHMARK(KueueEncode150k)->Unit(benchmark::kMillisecond);

// Of a document that was read; the names are known already.
void KueueDecode150k(benchmark::State& state) {
  Encoded once;
  for (auto _ : state) {
    auto decoded = decode_assignment(once.document.root(), once.fields);
    if (!decoded || decoded->size() != 150000) return state.SkipWithError("is not whole");
  }
}
BENCHMARK(KueueDecode150k)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::kueue_encoding
