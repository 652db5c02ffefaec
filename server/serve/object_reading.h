// Texts into what became of the objects since the texts before: the one way from what a source
// holds to the cluster.
//
// Cost: O(bytes of all texts), as gangs, queues and owners are linked across them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/serve/object_source.h"

namespace trellis {

class ObjectReading {
 public:
  explicit ObjectReading(ReadOptions options) : options_(std::move(options)) {
    options_.keep_raw = true;
  }

  void set_zones(Zones zones);
  void set_scheduler_names(std::vector<std::string> names);
  // Whether the same texts would now be read as something else.
  bool stale() const { return stale_ || !forgotten_.empty(); }
  // As ObjectSource's.
  void forget(Forgotten forgotten);

  // The diff to the reading before, and the raw objects; without diagnostics.
  SourceUpdate read(std::span<const NamedText> texts, Vocabulary& vocabulary);
  // Of the last reading.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ReadOptions options_;
  std::vector<std::string> scheduler_names_;
  Zones zones_ = Zones::Read;
  bool stale_ = false;
  Objects objects_;
  Forgotten forgotten_;  // since the last reading
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace trellis
