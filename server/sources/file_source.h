// Files as a source of objects: each poll yields what changed since the last one.
//
// A change of any file decodes all of them again, since gangs, queues and owners refer to each
// other across files. Cost: a check of the files' status when nothing changed, else O(bytes of all
// files).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/sources/object_reading.h"
#include "server/sources/object_source.h"
#include "server/sources/watched_files.h"

namespace trellis {

// Files that went away, and how many objects went with them, by kind; kinds without any are left
// out.
struct GoneFiles {
  std::vector<std::string> files;
  std::vector<std::pair<std::string_view, size_t>> objects;
};

class FileSource : public ObjectSource {
 public:
  using OnGone = std::function<void(const GoneFiles&)>;
  // `on_gone` is called by poll(); it may be empty.
  explicit FileSource(std::vector<std::string> paths, OnGone on_gone = {})
      : files_(std::move(paths)), on_gone_(std::move(on_gone)) {}

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override;
  std::optional<ObjectDiff> read_all(Vocabulary& vocabulary) override;
  bool ready() const override { return true; }
  void configure(ReadingSettings settings) override { reading_.configure(std::move(settings)); }
  ExecutionMode mode() const override { return ExecutionMode::Simulate; }
  int64_t files_read() const override { return files_.reads(); }

 private:
  WatchedFiles files_;
  OnGone on_gone_;
  ObjectReading reading_;
};

}  // namespace trellis
