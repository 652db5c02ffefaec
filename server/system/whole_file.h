// Files that are read or written as a whole.
#pragma once

#include <optional>
#include <string>

#include "framework/result.h"
#include "server/system/descriptor.h"
#include "server/text/byte_sink.h"

namespace trellis {

// Reads a small file (a configuration, a certificate, a credential), whatever its name refers to.
// Guarantees: ends within kSmallFilePatienceMs and reads at most kMostSmallFileBytes, also for
// folders, devices and pipes. An error is a phrase for what was found: "a directory". An empty file
// is no error.
Result<std::string> read_small_file(const std::string& name);

inline constexpr size_t kMostSmallFileBytes = size_t{16} << 20;
inline constexpr int kSmallFilePatienceMs = 10'000;

// A file that is written as a whole or not at all: its text is written to a file beside it, which
// takes its name once everything is on the disk. Until then, and whenever that fails, the former
// file is untouched.
//
// A symbolic link is kept: the file that it names is replaced. A file is written in place if it is
// no regular file (a pipe, a device, the target of standard output), or if no other file can be
// made in its folder.

class ReplacedFile {
 public:
  // An error is the system's message, without the file's name.
  static Result<ReplacedFile> begin(const std::string& name);
  ReplacedFile(ReplacedFile&&) = default;
  ~ReplacedFile();  // without finish(): nothing has changed

  ByteSink& sink() { return sink_; }
  // Returns why the former file was not replaced; nullopt: the new file is in its place.
  std::optional<Error> finish();

 private:
  ReplacedFile(Descriptor file, std::string beside, std::string name)
      : file_(std::move(file)),
        beside_(std::move(beside)),
        name_(std::move(name)),
        sink_(file_.get()) {}

  Descriptor file_;
  std::string beside_;  // empty: it is written in place
  std::string name_;
  FileSink sink_;
};

}  // namespace trellis
