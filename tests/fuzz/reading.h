// What must hold of every text that is read, be it sense or nonsense.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/manifest/manifest.h"

namespace trellis::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline Manifest read(std::string_view file, std::string_view text, Vocabulary& vocabulary) {
  ReadOptions options{.keep_raw = true, .max_expanded_pods = 200};
  return read_manifest_text(file, text, vocabulary, options);
}

inline void check_reading(std::string_view file, std::string_view text) {
  Vocabulary vocabulary;
  Manifest manifest = read(file, text, vocabulary);
  for (const Diagnostic& diagnostic : manifest.diagnostics) {
    std::string line = to_string(diagnostic);
    require(line.find('\n') == std::string::npos, "a diagnostic is one line");
  }
  const Objects& objects = manifest.objects;
  for (const PodObject& object : objects.pods) {
    require(object.pod.gang.valid(), "every pod has a gang");
    require(object.spec->requests.get(kPods) == 1, "every pod asks for itself");
    for (const ResourceAmount& amount : object.spec->requests.items()) {
      require(amount.amount > 0 && amount.amount <= kMaxAmount, "requests are within bounds");
    }
  }
  for (const Node& node : objects.nodes) {
    for (const ResourceAmount& amount : node.allocatable.items()) {
      require(amount.amount > 0 && amount.amount <= kMaxAmount, "amounts are within bounds");
    }
  }
  for (const Gang& gang : objects.gangs) require(gang.min_member >= 1, "a gang has a minimum");

  std::string saved;
  for (const RawObject& raw : manifest.raw) saved += raw.json + "\n";
  Vocabulary again;
  Manifest second = read("saved.jsonl", saved, again);
  if (manifest.has_errors()) return;
  require(!second.has_errors(), "what is saved can be read");
  require(second.objects.pods.size() == objects.pods.size(), "all pods are saved");
  require(second.objects.nodes.size() == objects.nodes.size(), "all nodes are saved");
  require(second.objects.gangs.size() == objects.gangs.size(), "all gangs are saved");
  for (size_t i = 0; i < objects.gangs.size(); ++i) {
    require(second.objects.gangs[i].name == objects.gangs[i].name, "gangs keep their names");
  }
}

}  // namespace trellis::fuzz
