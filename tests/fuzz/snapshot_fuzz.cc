// Snapshot files: any bytes as a file, and the records of a file with bytes changed behind the back
// of the hashes that guard them. Reading must refuse them or give some records.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/snapshot/record_codec.h"
#include "server/snapshot/snapshot_file.h"
#include "tests/fuzz/reading.h"
#include "tests/server/snapshot/random_records.h"

namespace {

using namespace trellis;

constexpr size_t kStrings = 40;
constexpr size_t kMostBytes = 1 << 20;

std::string random_record_bytes() {
  Vocabulary vocabulary;
  for (size_t i = vocabulary.strings.size(); i < kStrings; ++i) {
    vocabulary.strings.intern("word-" + std::to_string(i));
  }
  InputRecords records;
  RandomRecords random(1, vocabulary.strings.size(), vocabulary.resources.size());
  random.fill(records);
  return write_records(records, vocabulary);
}

void read_as_file(std::string_view bytes) {
  Result<SnapshotParts> parts = open_snapshot(bytes);
  if (!parts) return;
  Result<std::string> texts = unpack_part(parts->texts, kMostBytes);
  if (!texts) return;
  SnapshotText text;
  for (size_t at = 0; next_text(*texts, at, text);) {
    fuzz::require(text.text.data()[text.text.size()] == '\0', "a zero byte follows each text");
  }
}

// Three bytes of the input are a change: two of the position, one of the value. One byte that is
// left cuts the records short.
std::string changed(std::string bytes, std::string_view changes) {
  for (; changes.size() >= 3; changes.remove_prefix(3)) {
    auto byte = [&](size_t i) { return static_cast<unsigned char>(changes[i]); };
    bytes[(byte(0) * size_t{256} + byte(1)) % bytes.size()] = changes[2];
  }
  if (changes.size() == 1) {
    bytes.resize(bytes.size() * static_cast<unsigned char>(changes[0]) / 256);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kRecords = random_record_bytes();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  read_as_file(input);
  std::string bytes = changed(kRecords, input);
  Vocabulary vocabulary;
  if (!keeps_order(bytes, vocabulary)) return 0;
  read_records(bytes, 0, vocabulary);
  return 0;
}
