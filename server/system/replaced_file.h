// A file that is written as a whole or not at all: its text goes to a file beside it, which takes
// its name once everything is on the disk. Until then, and whenever that fails, the former file
// stands untouched.
//
// A symbolic link stays one: what it names is replaced. What is no regular file (a pipe, a device,
// where standard output goes), or stands in a folder where no other file can be made, is written in
// place.
#pragma once

#include <optional>
#include <string>

#include "framework/result.h"
#include "server/system/descriptor.h"
#include "server/text/byte_sink.h"

namespace trellis {

class ReplacedFile {
 public:
  // Errors are the system's phrase, without the name.
  static Result<ReplacedFile> begin(const std::string& name);
  ReplacedFile(ReplacedFile&&) = default;
  ~ReplacedFile();  // without finish(): nothing has changed

  ByteSink& sink() { return sink_; }
  // Why the former file still stands; nothing: the new one does.
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
