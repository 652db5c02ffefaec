#include "server/snapshot/snapshot_file.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace trellis::snapshot_file_test {
namespace {

std::string small_file() {
  SnapshotWriter writer;
  writer.add_text("a.yaml", "kind: A\n");
  writer.add_text("b.json", "{}");
  return writer.finish("the records", 0x0102030405060708, "trellis 0.0.0");
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string unhex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// All that a file holds, as one text; nullopt: the file is refused.
std::optional<std::string> contents(std::string_view bytes) {
  Result<SnapshotParts> parts = open_snapshot(bytes);
  if (!parts) {
    EXPECT_NE(parts.error().message.find("snapshot save"), std::string::npos);
    return std::nullopt;
  }
  Result<std::string> records = unpack_part(parts->records, 1000);
  Result<std::string> texts = unpack_part(parts->texts, 1000);
  if (!records || !texts) return std::nullopt;
  std::string all = std::to_string(parts->structure) + "|" + parts->program + "|" + *records;
  SnapshotText text;
  for (size_t at = 0; next_text(*texts, at, text);) {
    EXPECT_EQ(text.text.data()[text.text.size()], '\0');
    all += "|" + text.name + "=" + std::string(text.text);
  }
  return all;
}

constexpr std::string_view kContents =
    "72623859790382856|trellis 0.0.0|the records|a.yaml=kind: A\n|b.json={}";

TEST(SnapshotFile, HoldsWhatItWasGiven) {
  std::string file = small_file();
  EXPECT_TRUE(is_snapshot(file));
  EXPECT_EQ(contents(file), kContents);
}

// A file of format 1, as the first version wrote it: all later versions read it or raise the number
// of the format.
TEST(SnapshotFile, ReadsTheFormatAsItIs) {
  constexpr std::string_view kFile =
      "8954524c534e500a010000004500000008070605040302010b000000000000001400000000000000"
      "118d690c65640c9f1c000000000000002500000000000000cea947de714679f07472656c6c697320"
      "302e302e304c63990f45929a3128b52ffd200b590000746865207265636f72647328b52ffd0058e1"
      "000006612e79616d6c086b696e643a20410a0006622e6a736f6e027b7d00";
  EXPECT_EQ(contents(unhex(kFile)), kContents) << hex(small_file());
}

TEST(SnapshotFile, RefusesAFileThatIsCutShort) {
  std::string file = small_file();
  for (size_t size = kSnapshotMagic.size(); size < file.size(); ++size) {
    EXPECT_EQ(contents(std::string_view(file).substr(0, size)), std::nullopt) << size;
  }
}

TEST(SnapshotFile, RefusesAFileThatWasChanged) {
  std::string file = small_file();
  for (size_t at = kSnapshotMagic.size(); at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      EXPECT_EQ(contents(changed), std::nullopt) << at;
    }
  }
  EXPECT_EQ(contents(file + "x"), std::nullopt);
}

TEST(SnapshotFile, RefusesMoreThanItMayHold) {
  std::string file = small_file();
  Result<SnapshotParts> parts = open_snapshot(file);
  ASSERT_TRUE(parts);
  EXPECT_FALSE(unpack_part(parts->records, 10));
  EXPECT_TRUE(unpack_part(parts->records, 11));
}

}  // namespace
}  // namespace trellis::snapshot_file_test
