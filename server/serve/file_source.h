// The files as a source of objects: what became of them since the last look.
//
// A change of any file decodes all of them again: gangs, queues and owners are linked across files.
// Cost: a look at the files where nothing changed, else O(bytes of all files).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/serve/object_diff.h"
#include "server/serve/watched_files.h"

namespace trellis {

struct SourceUpdate {
  ObjectDiff diff;
  // All there are now, as they were read; null: the same as before.
  std::shared_ptr<const std::vector<RawObject>> raw;
  // All that is wrong with the input now.
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics;
};

class FileSource {
 public:
  FileSource(std::vector<std::string> paths, std::vector<std::string> scheduler_names)
      : files_(std::move(paths)), scheduler_names_(std::move(scheduler_names)) {}

  // nullopt: nothing changed. Interns what is new into `vocabulary`, always the same one.
  std::optional<SourceUpdate> poll(Vocabulary& vocabulary);

  // Whether nodes have NUMA zones, from the next poll on; false: nobody asks for them.
  enum class Zones : uint8_t { Read, Ignored };
  void set_zones(Zones zones);
  // Whose pods are ours from the next poll on, which reads anew.
  void set_scheduler_names(std::vector<std::string> names);

  const WatchedFiles& files() const { return files_; }

 private:
  SourceUpdate read(Vocabulary& vocabulary);

  WatchedFiles files_;
  std::vector<std::string> scheduler_names_;
  Zones zones_ = Zones::Read;
  bool stale_ = false;
  Objects objects_;                     // as last read
  std::vector<Diagnostic> of_reading_;  // of the content that objects_ were read from
};

}  // namespace trellis
