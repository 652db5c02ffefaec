#include "server/snapshot/record_codec.h"

#include <gtest/gtest.h>

#include "server/snapshot/byte_reader.h"
#include "server/snapshot/record_structure.h"
#include "tests/server/snapshot/random_records.h"

namespace trellis::record_codec_test {
namespace {

constexpr size_t kStrings = 40;

void fill_vocabulary(Vocabulary& vocabulary) {
  for (size_t i = vocabulary.strings.size(); i < kStrings; ++i) {
    vocabulary.strings.intern("word-" + std::to_string(i));
  }
  vocabulary.resources.intern("example.com/widget");
}

InputRecords random_records(uint32_t seed, const Vocabulary& vocabulary) {
  InputRecords records;
  RandomRecords random(seed, vocabulary.strings.size(), vocabulary.resources.size());
  random.fill(records);
  for (int i = 0; i < 3; ++i) random.fill(records.records.pods.emplace_back());
  return records;
}

// Every kind of record, every member: what is written of what was read are the same bytes.
TEST(RecordCodec, ReadsWhatItWrites) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    Vocabulary vocabulary;
    fill_vocabulary(vocabulary);
    InputRecords records = random_records(seed, vocabulary);
    for (auto& pod : records.records.pods) pod.meta.pos.file &= 0xFF;
    std::string bytes = write_records(records, vocabulary);
    Vocabulary other;
    ASSERT_TRUE(keeps_order(bytes, other));
    std::optional<InputRecords> read = read_records(bytes, 0, other);
    ASSERT_TRUE(read) << seed;
    // Not ASSERT_EQ, which would print them.
    ASSERT_TRUE(write_records(*read, other) == bytes) << seed;
  }
}

TEST(RecordCodec, SharesWhatWasShared) {
  Vocabulary vocabulary;
  InputRecords records;
  PodSpec spec;
  spec.requests.set(kCpu, 4000);
  SharedSpec shared(spec);
  for (std::string_view name : {"a", "b"}) {
    PodRecord& pod = records.records.pods.emplace_back();
    pod.meta.key.name = vocabulary.strings.intern(name);
    pod.object.pod.name = name;
    pod.object.pod.node = std::string_view("node");
    pod.object.spec = shared;
  }
  Vocabulary other;
  std::optional<InputRecords> read = read_records(write_records(records, vocabulary), 0, other);
  ASSERT_TRUE(read);
  const PodRecords& pods = read->records.pods;
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].object, records.records.pods[0].object);
  EXPECT_EQ(pods[0].object.spec.identity(), pods[1].object.spec.identity());
  EXPECT_EQ(pods[0].object.pod.node.view().data(), pods[1].object.pod.node.view().data());
}

TEST(RecordCodec, LocationsCountFromTheFirstFile) {
  Vocabulary vocabulary;
  InputRecords records;
  records.records.nodes.emplace_back().meta.pos = {.file = 1, .line = 7, .document = 3};
  Vocabulary other;
  std::optional<InputRecords> read = read_records(write_records(records, vocabulary), 5, other);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records.nodes[0].meta.pos, (SourcePos{.file = 6, .line = 7, .document = 3}));
}

// Parts of records are in the order of ids: other ids must keep it.
TEST(RecordCodec, SeesWhereIdsHaveAnotherOrder) {
  Vocabulary vocabulary;
  vocabulary.strings.intern("a");
  vocabulary.strings.intern("b");
  std::string bytes = write_records({}, vocabulary);
  Vocabulary before;
  before.strings.intern("a");
  before.strings.intern("x");
  before.strings.intern("b");
  EXPECT_TRUE(keeps_order(bytes, before));
  Vocabulary swapped;
  swapped.strings.intern("b");
  swapped.strings.intern("a");
  EXPECT_FALSE(keeps_order(bytes, swapped));
  Vocabulary second;
  second.strings.intern("b");
  EXPECT_FALSE(keeps_order(bytes, second));
}

// Bytes that no program wrote give records or none, and nothing else.
TEST(RecordCodec, SurvivesAnyBytes) {
  std::mt19937_64 random(7);
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    Vocabulary vocabulary;
    fill_vocabulary(vocabulary);
    std::string bytes = write_records(random_records(seed, vocabulary), vocabulary);
    for (size_t at = seed; at < bytes.size(); at += 5) {
      Vocabulary other;
      EXPECT_FALSE(read_records(bytes.substr(0, at), 0, other)) << at;
      std::string changed = bytes;
      changed[at] = static_cast<char>(random());
      Vocabulary third;
      if (keeps_order(changed, third)) read_records(changed, 0, third);
    }
  }
}

TEST(ByteReader, NumbersAreTheSameOnEveryMachine) {
  std::string bytes;
  put_number(bytes, 300);
  put_signed(bytes, -2);
  put_signed(bytes, INT64_MIN);
  put_number(bytes, UINT64_MAX);
  put_fixed<4>(bytes, 0x01020304);
  put_text(bytes, "ab");
  EXPECT_EQ(bytes, std::string_view("\xAC\x02\x03"
                                    "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                    "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                    "\x04\x03\x02\x01\x02"
                                    "ab"));
  ByteReader in(bytes);
  EXPECT_EQ(in.number(), 300U);
  EXPECT_EQ(in.signed_number(), -2);
  EXPECT_EQ(in.signed_number(), INT64_MIN);
  EXPECT_EQ(in.number(), UINT64_MAX);
  EXPECT_EQ(in.fixed<4>(), 0x01020304U);
  EXPECT_EQ(in.text(), "ab");
  EXPECT_FALSE(in.failed());
  EXPECT_EQ(in.number(), 0U);
  EXPECT_TRUE(in.failed());
}

TEST(RecordStructure, IsOneNumber) {
  EXPECT_EQ(structure_of_records(), structure_of_records());
  EXPECT_NE(structure_of_records(), 0U);
}

}  // namespace
}  // namespace trellis::record_codec_test
