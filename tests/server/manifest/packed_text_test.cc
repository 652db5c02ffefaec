// Packed files: what comes out is what went in, and half of one is an error.

#include "server/manifest/packed_text.h"

#include <gtest/gtest.h>
#include <minizip/zip.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "server/manifest/manifest.h"
#include "tests/server/manifest/reading.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::packed_text_test {
namespace {

constexpr size_t kMost = size_t{1} << 24;

std::string gzip(std::string text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstandard(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string zip(const std::vector<std::string>& texts) {
  test::TemporaryFolder folder;
  std::string file = folder.file("a.zip");
  zipFile archive = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string name = "snapshot" + std::to_string(i) + ".json";
    zip_fileinfo info{};
    zipOpenNewFileInZip(archive, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                        Z_DEFAULT_COMPRESSION);
    zipWriteInFileInZip(archive, texts[i].data(), static_cast<unsigned>(texts[i].size()));
    zipCloseFileInZip(archive);
  }
  zipClose(archive, nullptr);
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(int64_t{i} * 7919) + "\n";
  return text;
}

TEST(PackedText, WhatIsNotPackedStaysAsItIs) {
  for (const std::string& text : {std::string(), std::string("kind: Pod\n"), std::string("\x1f"),
                                  std::string("P"), std::string("{\"a\":1}")}) {
    EXPECT_EQ(*unpack(text, kMost), text);
  }
}

TEST(PackedText, WhatWentInComesOut) {
  std::string large = numbers(400'000);
  ASSERT_GT(large.size(), size_t{3} << 20);
  for (const std::string& text : {std::string(), std::string("a"), numbers(1'000), large}) {
    EXPECT_EQ(*unpack(gzip(text), kMost), text);
    EXPECT_EQ(*unpack(zstandard(text), kMost), text);
    EXPECT_EQ(*unpack(zip({text}), kMost), text);
  }
}

TEST(PackedText, PartsFollowEachOther) {
  EXPECT_EQ(*unpack(gzip("one\n") + gzip("two\n"), kMost), "one\ntwo\n");
  EXPECT_EQ(*unpack(zstandard("one\n") + zstandard("two\n"), kMost), "one\ntwo\n");
}

// Data that is broken is an error, or is broken where nothing depends on it: never another text.
void expect_no_other_text(const std::string& packed, const std::string& text) {
  Result<std::string> plain = unpack(packed, kMost);
  if (plain) {
    EXPECT_EQ(*plain, text);
  }
}

TEST(PackedText, AnEndThatIsMissingIsAnError) {
  std::string text = numbers(200);
  for (const std::string& packed : {gzip(text), zstandard(text), zip({text})}) {
    for (size_t bytes = 4; bytes < packed.size() - 4; ++bytes) {
      EXPECT_FALSE(unpack(packed.substr(0, bytes), kMost)) << bytes << " of " << packed.size();
    }
    for (size_t bytes = 1; bytes < 4; ++bytes) {
      expect_no_other_text(packed.substr(0, packed.size() - bytes), text);
    }
  }
  EXPECT_EQ(unpack(gzip(text).substr(0, 50), kMost).error().message,
            "gzip data that is broken or ends too early");
}

TEST(PackedText, AWrongByteMakesNoOtherText) {
  std::string text = numbers(200);
  for (const std::string& packed : {gzip(text), zip({text})}) {
    for (size_t i = 4; i < packed.size(); ++i) {
      std::string wrong = packed;
      wrong[i] = static_cast<char>(wrong[i] ^ 0x55);
      expect_no_other_text(wrong, text);
    }
  }
}

TEST(PackedText, ASmallFileMayNotGrowWithoutEnd) {
  std::string zeros(size_t{8} << 20, '0');
  for (const std::string& packed : {gzip(zeros), zstandard(zeros), zip({zeros})}) {
    Result<std::string> plain = unpack(packed, size_t{1} << 20);
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().message, "more than 1 MiB when unpacked");
    EXPECT_TRUE(unpack(packed, zeros.size()));
  }
}

TEST(PackedText, AnArchiveOfSeveralFilesIsRefused) {
  EXPECT_EQ(unpack(zip({"a", "b"}), kMost).error().message,
            "a zip archive of 2 files: unpack it, and name its directory");
}

TEST(PackedText, FilesAreReadByTheNameThatIsPacked) {
  test::TemporaryFolder folder;
  std::string queue = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: ";
  std::ofstream(folder.file("a.yaml.gz"), std::ios::binary) << gzip(queue + "a}\n");
  std::ofstream(folder.file("b.yml.zst"), std::ios::binary) << zstandard(queue + "b}\n");
  std::ofstream(folder.file("c.txt.gz"), std::ios::binary) << gzip(queue + "c}\n");
  test::Reading reading = test::read_paths({folder.path()});
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_NE(reading.queue("a"), nullptr);
  EXPECT_NE(reading.queue("b"), nullptr);
  EXPECT_EQ(reading.queue("c"), nullptr);
}

}  // namespace
}  // namespace trellis::packed_text_test
