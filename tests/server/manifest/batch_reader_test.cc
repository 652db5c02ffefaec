#include "server/manifest/batch_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "tests/server/manifest/reading.h"
#include "tests/support/long_run.h"
#include "tests/worlds/choices.h"
#include "tests/worlds/world.h"
#include "tests/worlds/world_mutator.h"

namespace trellis::batch_reader_test {
namespace {

using test::Reading;

ReadOptions options_of(int threads) {
  ReadOptions options;
  options.keep_raw = true;
  options.threads = threads;
  options.most_bytes_alone = 0;
  return options;
}

std::string raw_text(const Manifest& manifest) {
  std::string text;
  for (const RawObject& raw : manifest.raw) {
    text += raw.kind + " " + raw.name_space + "/" + raw.name + " " + raw.json + "\n";
  }
  return text;
}

void expect_threads_change_nothing(const std::string& text) {
  Reading one = test::read(text, "in.json", options_of(1));
  Reading many = test::read(text, "in.json", options_of(3));
  EXPECT_EQ(many.diagnostics(), one.diagnostics());
  EXPECT_EQ(dump(many), dump(one));
  EXPECT_EQ(raw_text(many.manifest), raw_text(one.manifest));
  EXPECT_EQ(many.manifest.newest_timestamp, one.manifest.newest_timestamp);
  EXPECT_EQ(many.vocabulary->resources.size(), one.vocabulary->resources.size());
}

std::string pod(const std::string& name, const std::string& resource) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + name +
         R"(},"spec":{"containers":[{"name":"a","resources":{"requests":{")" + resource +
         R"(":"1"}}}]}})";
}

std::string named(int number) { return R"("name":"pod-)" + std::to_string(number) + '"'; }

// Many pods, some of which clash with one that is far away.
std::vector<std::string> pods() {
  std::vector<std::string> texts;
  for (int i = 0; i < 2'000; ++i) {
    if (i % 397 == 5) texts.push_back(pod(named(i / 2), "cpu"));
    if (i % 283 == 3) texts.push_back(pod(R"("generateName":"made-")", "cpu"));
    if (i % 211 == 2) texts.push_back(pod(R"("name":3)", "cpu"));
    texts.push_back(pod(named(i), i < 1'000 ? "cpu" : "x.com/" + std::to_string(i / 100)));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts, const std::string& between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

TEST(BatchReader, ReadsLinesAndListsAsOneThreadDoes) {
  std::vector<std::string> texts = pods();
  expect_threads_change_nothing(joined(texts, "\n"));
  expect_threads_change_nothing("[" + joined(texts, ",") + "]");
  expect_threads_change_nothing(R"({"kind":"PodList","apiVersion":"v1","items":[)" +
                                joined(texts, ",\n") + "]}");
  expect_threads_change_nothing(R"({"items":[)" + joined(texts, ",") +
                                R"(],"kind":"PodList","apiVersion":"v1"})");
}

TEST(BatchReader, KeepsTheOrderOfFindings) {
  std::vector<std::string> texts = pods();
  texts[3] = R"({"kind":"Pod","kind":"Pod"})";
  texts[900] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":[}})";
  texts[1'500] = R"({"apiVersion":"trellis/v1","kind":"Cycle","spec":{}})";
  texts[1'700] = texts[1'500];
  for (size_t i = 100; i < 130; ++i) texts[i] = R"({"apiVersion":"v1","kind":"Podd"})";
  expect_threads_change_nothing(joined(texts, "\n"));
  expect_threads_change_nothing("[" + joined(texts, ",") + "]");
  texts.resize(1'000);
  expect_threads_change_nothing("[" + joined(texts, ",") + "]{");
}

// More findings than are listed.
TEST(BatchReader, CountsFindingsAsOneThreadDoes) {
  std::vector<std::string> texts(12'000, R"({"apiVersion":"v1","kind":"Pod","metadata":{}})");
  expect_threads_change_nothing(joined(texts, "\n"));
}

TEST(BatchReader, ReadsChangedWorldsAsOneThreadDoes) {
  const std::vector<worlds::World> shipped = worlds::shipped_worlds();
  uint64_t seeds = long_run(8, 400);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    worlds::Choices choices(seed);
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += worlds::json_lines(worlds::mutated_world(shipped, choices).objects);
    }
    expect_threads_change_nothing(text);
  }
}

// The caller gives the text back: with a sanitizer, a thread that still decodes it would be seen.
TEST(BatchReader, NoThreadUsesTheTextOnceReadingHasThrown) {
  ReadOptions options = options_of(3);
  // 20 MB, of which parts are given back: each time after 4 MiB.
  const std::string space(10'000, ' ');
  for (int calls = 0; calls < 4; ++calls) {
    Vocabulary vocabulary;
    Report report;
    FieldReader fields(vocabulary, report);
    SpecPool specs;
    ObjectLoader loader(fields, specs, options, nullptr);
    report.begin_file("in.json", 0);
    auto text = std::make_unique<std::string>(joined(pods(), space + "\n"));
    std::vector<Diagnostic> found;
    ReadSink sink{.file = "in.json", .diagnostics = &found};
    int left = calls;
    sink.consumed = [&](size_t /*offset*/) {
      if (left-- == 0) throw std::runtime_error("the disk is full");
    };
    BatchReader reader(vocabulary, options, nullptr);
    EXPECT_THROW(reader.read(*text, 0, sink, loader), std::runtime_error);
    text.reset();
  }
}

}  // namespace
}  // namespace trellis::batch_reader_test
