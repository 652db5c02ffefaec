// The files that the service reads, with the last good content of each.
//
// Words: a file is young while its last change is so recent that its writer may not be done, or
// that a further change may get the same time stamp; the next poll reads a young file again.
// Guarantees: once a file is no longer written, polls arrive at its last content, whatever was
// written before and how fast. A file that cannot be read, or that is broken, keeps the last
// content that was good; `faults` reports this until the file is repaired or gone. Cost of a poll:
// a check of each file's status, and reading the files that changed or are young.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/manifest/manifest.h"

namespace trellis {

class WatchedFiles {
 public:
  // Files, directories, or "-": standard input is read once.
  explicit WatchedFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  enum class Change : uint8_t { None, Faults, Content };
  // What changed since the last poll; the first poll returns Content.
  Change poll();

  // In the order of reading.
  std::vector<NamedText> texts() const;
  // The errors of files that keep an older content, and of the paths themselves.
  const std::vector<Diagnostic>& faults() const { return faults_; }
  // Files that were there and are gone, since last taken.
  std::vector<std::string> take_gone() { return std::exchange(gone_, {}); }
  size_t count() const { return order_.size(); }
  int64_t reads() const { return reads_; }

 private:
  struct Status {
    int64_t size = 0;
    int64_t changed_ns = 0;
    uint64_t inode = 0;
    bool operator==(const Status&) const = default;
  };
  struct File {
    Status status;
    StoredText seen;                 // as last read
    StoredText good;                 // the last good content; null: there was none
    std::vector<Diagnostic> faults;  // of `seen`, where an older good content is kept
    bool young = true;
    int deferred = 0;  // polls in a row that found it being written
  };

  static bool status_of(const std::string& name, Status& status);
  // True when the file must be read again.
  bool look(const std::string& name, File& file);
  void read(const std::string& name, File& file);
  void take(const std::string& name, File& file, std::string_view text);
  void collect_faults(std::vector<Diagnostic> of_paths);

  std::vector<std::string> paths_;
  std::vector<std::string> order_;
  std::map<std::string, File> files_;
  std::vector<std::string> gone_;
  std::vector<Diagnostic> faults_;
  bool polled_ = false;
  bool content_changed_ = false;
  int64_t reads_ = 0;
};

}  // namespace trellis
