#include "server/manifest/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/server/manifest/reading.h"

namespace trellis::test::manifest_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path golden() { return fs::path(TRELLIS_SOURCE_DIR) / "tests/server/manifest/golden"; }

// Each pair says the same, once in YAML and once in JSON.
TEST(Manifest, YamlAndJsonAreRead) {
  ReadOptions options{.keep_raw = true};
  int pairs = 0;
  for (const auto& entry : fs::directory_iterator(golden())) {
    if (entry.path().extension() != ".yaml") continue;
    ++pairs;
    fs::path json = entry.path();
    json.replace_extension(".json");
    Reading from_yaml = read(file_text(entry.path()), "in.yaml", options);
    Reading from_json = read(file_text(json), "in.json", options);
    for (const std::string& finding : from_yaml.diagnostics()) {
      EXPECT_NE(finding.find("on nodes that are not in the input"), std::string::npos) << finding;
    }
    EXPECT_EQ(dump(from_yaml), dump(from_json)) << entry.path();
    EXPECT_FALSE(dump(from_yaml).empty());
  }
  EXPECT_GE(pairs, 3);
}

TEST(Manifest, TheOrderOfTheInputDoesNotShow) {
  std::vector<std::string> documents;
  for (const char* name : {"cluster.yaml", "gangs.yaml", "kueue.yaml"}) {
    std::string text = file_text(golden() / name);
    size_t at = 0;
    while (at < text.size()) {
      size_t next = std::min(text.find("\n---\n", at), text.size());
      documents.push_back(text.substr(at, next - at));
      at = next + 5;
    }
  }
  ASSERT_GT(documents.size(), 10U);
  ReadOptions options{.keep_raw = true};
  auto read_all = [&] {
    std::string text;
    for (const std::string& document : documents) text += "---\n" + document + "\n";
    Reading reading = read(text, "in.yaml", options);
    EXPECT_FALSE(reading.manifest.has_errors());
    return dump(reading);
  };
  std::string expected = read_all();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::shuffle(documents.begin(), documents.end(), std::mt19937(seed));
    ASSERT_EQ(read_all(), expected) << "seed " << seed;
  }
}

TEST(Manifest, WhatIsSavedReadsBackTheSame) {
  ReadOptions options{.keep_raw = true};
  for (const char* name : {"cluster.yaml", "gangs.yaml", "owners.yaml", "kueue.yaml"}) {
    Reading first = read(file_text(golden() / name), "in.yaml", options);
    std::string saved;
    for (const RawObject& raw : first.manifest.raw) saved += raw.json + "\n";
    Reading second = read(saved, "in.jsonl", options);
    EXPECT_EQ(dump(first), dump(second)) << name;
  }
}

TEST(Manifest, ListsOfAllKinds) {
  for (
      const char* text :
      {R"({"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}}],"kind":"List"})",
       R"({"apiVersion":"v1","items":[{"metadata":{"name":"a"},"spec":{}}],"kind":"PodList"})",
       R"([{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}}])",
       R"([[{"kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}}]}]])",
       "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: a}\n  spec: {}\n",
       "- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {}}\n"}) {
    Reading reading = read(text, "-");
    EXPECT_EQ(reading.diagnostics(), Names{}) << text;
    EXPECT_EQ(reading.pod_names(), Names{"a"}) << text;
  }
  EXPECT_EQ(read(R"({"kind":"List","apiVersion":"v1","items":[]})", "-").diagnostics(), Names{});
  EXPECT_EQ(read(R"({"kind":"List","apiVersion":"v1","items":null})", "-").diagnostics(), Names{});
}

TEST(Manifest, PathsInListsBeginAtTheDocument) {
  std::string item = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":5},"spec":{}})";
  for (const char* file : {"in.json", "in.yaml"}) {
    EXPECT_EQ(
        read("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{},\n" + item + "]}", file)
            .diagnostics(),
        (Names{std::string(file) +
                   ":1: doc 1: $.items[0].kind: found nothing, expected the kind of the object",
               std::string(file) + ":2: doc 1: $.items[1].metadata.name: found the number 5, "
                                   "expected a string (in quotes)"}));
  }
}

TEST(Manifest, SkippedKindsAreSummedUp) {
  Reading reading = read(R"(
{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}
{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}
{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"b"}}
)",
                         "-");
  EXPECT_EQ(reading.diagnostics(), Names{"note: skipped 4 objects: 2 Service, 1 ConfigMap, 1 "
                                         "PodGroup.scheduling.volcano.sh"});
}

TEST(Manifest, DuplicatesNameBothPlaces) {
  Reading reading =
      read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"1"},"spec":{}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"2","namespace":"default"},"spec":{}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"3","namespace":"other"},"spec":{}}
)",
           "-");
  EXPECT_EQ(reading.manifest.objects.pods.size(), 2U);
  EXPECT_EQ(reading.pod("a")->pod.uid, "1");
  EXPECT_EQ(reading.diagnostics(),
            Names{"-:2: doc 2: $.metadata.name: found Pod default/a a second time, expected each "
                  "object once (the first is at -:1 (doc 1))"});
}

TEST(Manifest, GeneratedNamesAreStable) {
  auto pods = [](const Names& order) {
    std::string text;
    for (const std::string& cpu : order) {
      text +=
          "---\n{apiVersion: v1, kind: Pod, metadata: {generateName: p-}, spec: {priority: " + cpu +
          "}}\n";
    }
    return read(text).pod_names();
  };
  Names names = pods({"1", "2", "1", "3"});
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(names, pods({"3", "1", "2", "1"}));
  for (const std::string& name : names) {
    EXPECT_TRUE(name.starts_with("p-")) << name;
    EXPECT_EQ(name.size(), 10U);
  }
  // What was there before keeps its name when more comes.
  Names more = pods({"4", "1", "2", "1", "3", "1"});
  EXPECT_TRUE(std::includes(more.begin(), more.end(), names.begin(), names.end()));
}

TEST(Manifest, KindsAndVersionsThatAreSlips) {
  auto first = [](const std::string& api_version, const std::string& kind) {
    Names found = read("{apiVersion: " + api_version + ", kind: " + kind + ", metadata: {name: a}}")
                      .diagnostics();
    return found.empty() ? "" : found[0];
  };
  EXPECT_EQ(first("v1", "pod"),
            "in.yaml:1: doc 1: $.kind: found the unknown kind \"pod\", expected a kind of this "
            "group; did you mean \"Pod\"?");
  EXPECT_EQ(first("scheduling.run.ia/v2", "Queue"),
            "in.yaml:1: doc 1: $.apiVersion: found the unknown group \"scheduling.run.ia\", "
            "expected a group that has kind Queue; did you mean \"scheduling.run.ai\"?");
  EXPECT_EQ(first("scheduling.run.ai/v2", "PodGroup"),
            "in.yaml:1: doc 1: $.apiVersion: found \"scheduling.run.ai/v2\", expected "
            "\"scheduling.run.ai/v2alpha2\" for kind PodGroup");
  EXPECT_EQ(first("batch/v1", "CronJob"), "note: skipped 1 object: 1 CronJob");
  EXPECT_EQ(first("scheduling.volcano.sh/v1beta1", "PodGroup"),
            "note: skipped 1 object: 1 PodGroup.scheduling.volcano.sh");
}

TEST(Manifest, MisspeltAnnotations) {
  Reading reading = read(
      "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: "
      "{kai.scheduler/topology-required-placment: rack, kai.scheduler/numa-placement-observed: "
      "'[]', "
      "example.com/topology: x}}, spec: {}}");
  EXPECT_EQ(
      reading.diagnostics(),
      Names{"in.yaml:1: warning: doc 1: $.metadata.annotations"
            "[\"kai.scheduler/topology-required-placment\"]: found the annotation "
            "\"kai.scheduler/topology-required-placment\", expected one that means something; "
            "did you mean \"kai.scheduler/topology-required-placement\"?"});
}

TEST(Manifest, ProgressReachesTheEnd) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) {
    text += R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(i) +
            "\"},\"spec\":{}}\n";
  }
  std::vector<int64_t> seen;
  ReadOptions options;
  options.progress = [&](int64_t done, int64_t total) {
    EXPECT_LE(done, total);
    seen.push_back(done);
  };
  Reading reading = read(text, "-", options);
  EXPECT_EQ(reading.manifest.objects.pods.size(), 30'000U);
  ASSERT_GE(seen.size(), 2U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), static_cast<int64_t>(text.size()));
}

TEST(Manifest, FilesThatAreNotThere) {
  Reading reading = read_paths({"/nowhere/at/all.yaml"});
  EXPECT_TRUE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics(),
            Names{"/nowhere/at/all.yaml: found no such file or directory, expected a file, a "
                  "directory, or - for standard input"});
}

}  // namespace
}  // namespace trellis::test::manifest_test
