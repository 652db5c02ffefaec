// The inputs that `-f` names: files, directories, standard input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"
#include "server/document/diagnostic.h"
#include "server/document/document_sink.h"

namespace trellis {

enum class InputFormat : uint8_t { Yaml, JsonText };

struct InputFile {
  std::string name;  // as given, or the directory's name and the path below it
  int64_t size = 0;  // 0 when it is not known before it is read
};

// Directories are searched, in the order of names, for .yaml, .yml, .json, .jsonl and .ndjson, also
// with .gz or .zst behind; names that begin with a dot are skipped, symbolic links to directories
// are not followed. A file that is named twice is read once. A path that does not exist makes a
// diagnostic.
std::vector<InputFile> find_input_files(const std::vector<std::string>& paths,
                                        std::vector<Diagnostic>& diagnostics);

inline constexpr size_t kMostFileBytes = (size_t{1} << 32) - 1;
inline constexpr size_t kMostStreamBytes = size_t{1} << 30;

// The text of the file, unpacked (packed_text.h); of a snapshot of KAI-Scheduler, its lists
// (kai_snapshot.h). A snapshot of this program is left as it is (snapshot/snapshot_file.h). An
// error where the file has more than `most_bytes`.
Result<std::string> read_input_file(const InputFile& file, size_t most_bytes);

// Reads with the bounds of texts: an input whose size is not known before may never end.
inline Result<std::string> read_input_file(const InputFile& file) {
  return read_input_file(file, file.size > 0 ? kMostFileBytes : kMostStreamBytes);
}

// The texts of a snapshot as one text, one after the other; another text as it is. An error where
// they are of several formats.
Result<std::string> plain_text(std::string text);

// By the name's end, else by the text's first character. JSON lines are read whatever their name
// is: --save writes them to the file that it is given.
InputFormat input_format(std::string_view name, std::string_view text);

// Reads the documents of a text in its format. REQUIRES: a zero byte follows `text`.
void read_documents(std::string_view text, const ReadSink& sink);

}  // namespace trellis
