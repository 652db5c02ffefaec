// Turns the texts of files into changes of objects since the last texts.
//
// Cost: O(bytes of all texts), as gangs, queues and owners refer to each other across texts. A live
// cluster has one object in each text, and is read by parts: incremental_reading.h.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/sources/object_source.h"

namespace trellis {

class ObjectReading {
 public:
  void configure(ReadingSettings settings) { settings_ = std::move(settings); }
  // Whether the same texts may be read differently now, as settings changed.
  bool stale() const { return settings_ != read_settings_; }

  // The difference to the last reading, and the texts; without diagnostics.
  SourceUpdate read(std::span<const NamedText> texts, Vocabulary& vocabulary);
  // Reads the texts of the last reading again, into another vocabulary, which the next read() must
  // use.
  Objects read_again(std::span<const NamedText> texts, Vocabulary& vocabulary);
  // The diagnostics of the last reading.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ReadingSettings settings_;
  ReadingSettings read_settings_;  // of the last reading
  Objects objects_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace trellis
