// A snapshot file: what an input was decoded to, beside the texts of the input.
//
// Format, numbers with the lowest byte first: kSnapshotMagic; 4 bytes: kSnapshotFormat; 4 bytes:
// the head's size; the head; 8 bytes: a hash of all before; the records; the texts. The head: 8
// bytes each for the structure of the records, and for the records and the texts the size unpacked,
// the size packed and a hash of the packed bytes (XXH3); then the name of the program. Records and
// texts are Zstandard frames. Unpacked, the texts are: for each its name, after its size, its text,
// after its size, and a zero byte; sizes as in byte_reader.h.
//
// Guarantees: the same input gives the same bytes on every machine; a file that is cut short or
// changed is refused before anything is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "framework/result.h"

namespace trellis {

inline constexpr std::string_view kSnapshotMagic = "\x89TRLSNP\n";
inline constexpr uint32_t kSnapshotFormat = 1;

inline bool is_snapshot(std::string_view bytes) { return bytes.starts_with(kSnapshotMagic); }

// A part of a file.
struct PackedPart {
  uint64_t plain_bytes = 0;
  std::string_view packed;
};

struct SnapshotParts {
  uint64_t structure = 0;  // of the records (record_structure.h)
  std::string program;     // that wrote the file
  PackedPart records;
  PackedPart texts;
};

// An error: found phrase of what is wrong, and what to do. The parts stay in `bytes`.
Result<SnapshotParts> open_snapshot(std::string_view bytes);

// The bytes of a part, for which its hash was compared. An error where the part has more than
// `most_bytes`.
Result<std::string> unpack_part(const PackedPart& part, size_t most_bytes);

// The next text of the unpacked texts, from `at` on, which moves behind it. false: there is none.
struct SnapshotText {
  std::string name;
  std::string_view text;  // a zero byte follows
};
bool next_text(std::string_view texts, size_t& at, SnapshotText& text);

// This program, as the head names it.
std::string snapshot_program();

class SnapshotWriter {
 public:
  SnapshotWriter();
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void add_text(std::string_view name, std::string_view text);
  uint64_t text_bytes() const { return text_bytes_; }
  // The file. No text is added later.
  std::string finish(std::string_view records, uint64_t structure, std::string_view program);

 private:
  struct Packer;
  std::unique_ptr<Packer> packer_;
  uint64_t text_bytes_ = 0;  // of the texts, unpacked
};

}  // namespace trellis
