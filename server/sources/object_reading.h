// Turns texts of files into changes of objects since the texts before.
//
// Cost: O(bytes of all texts), as gangs, queues and owners are linked across them. One object a
// text, as a live cluster has them, is read by part: linked_reading.h.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/sources/object_source.h"
#include "server/sources/read_objects.h"

namespace trellis {

class ObjectReading {
 public:
  void set_zones(Zones zones) { settings_.zones = zones; }
  void set_scheduler_names(std::vector<std::string> names) {
    settings_.scheduler_names = std::move(names);
  }
  // Whether the same texts would now be read as something else.
  bool stale() const { return settings_ != read_settings_; }

  // The diff to the reading before, and the texts; without diagnostics.
  SourceUpdate read(std::span<const NamedText> texts, Vocabulary& vocabulary);
  // The texts of the last reading again, into another vocabulary, which the next diff is about.
  Objects read_again(std::span<const NamedText> texts, Vocabulary& vocabulary);
  // Of the last reading.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ReadingSettings settings_;
  ReadingSettings read_settings_;  // those of the last reading
  Objects objects_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace trellis
