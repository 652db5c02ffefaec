#include "server/manifest/input_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/manifest/manifest.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::input_files_test {
namespace {

namespace fs = std::filesystem;

class InputFiles : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text = "x") {
    fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::vector<std::string> find(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    for (const InputFile& file : find_input_files(paths, diagnostics_)) {
      names.push_back(file.name.starts_with(root_.string())
                          ? file.name.substr(root_.string().size() + 1)
                          : file.name);
    }
    return names;
  }

  test::TemporaryFolder folder_;
  fs::path root_ = folder_.path();
  std::vector<Diagnostic> diagnostics_;
};

using Names = std::vector<std::string>;

TEST_F(InputFiles, DirectoriesInOrderOfNames) {
  for (const char* name : {"b.yaml", "a.yml", "c/d.json", "c/a.jsonl", "z.ndjson", "readme.md",
                           ".hidden.yaml", ".git/x.yaml", "c/.x/y.json"}) {
    put(name);
  }
  fs::create_directory_symlink(root_, root_ / "c" / "loop");
  EXPECT_EQ(find({root_.string()}),
            (Names{"a.yml", "b.yaml", "c/a.jsonl", "c/d.json", "z.ndjson"}));
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(InputFiles, AFileIsReadOnce) {
  std::string file = put("a.yaml");
  put("odd.name");
  EXPECT_EQ(find({file, root_.string() + "/./a.yaml", root_.string()}), Names{"a.yaml"});
  EXPECT_EQ(find({(root_ / "odd.name").string()}), Names{"odd.name"});
  EXPECT_EQ(find({"-", "-"}), Names{"-"});
}

TEST_F(InputFiles, WhatIsNotThere) {
  fs::create_directory(root_ / "empty");
  EXPECT_EQ(find({(root_ / "gone.yaml").string(), (root_ / "empty").string()}), Names{});
  ASSERT_EQ(diagnostics_.size(), 2U);
  EXPECT_EQ(diagnostics_[0].found, "no such file or directory");
  EXPECT_EQ(diagnostics_[1].found, "no file to read in this directory");
}

TEST_F(InputFiles, ReadsWhole) {
  std::string big(300'000, 'x');
  for (const std::string& text : {std::string(), std::string("a"), big}) {
    InputFile file{put("f", text), static_cast<int64_t>(text.size())};
    EXPECT_EQ(*read_input_file(file), text);
    file.size = 0;  // as of a pipe
    EXPECT_EQ(*read_input_file(file), text);
  }
  EXPECT_FALSE(read_input_file({(root_ / "gone").string(), 0}));
}

TEST(InputFormat, ByNameElseByFirstCharacter) {
  EXPECT_EQ(input_format("a.yaml", "{}"), InputFormat::Yaml);
  EXPECT_EQ(input_format("a.yaml", "{\"a\": 1}\n---\n{\"b\": 1}\n"), InputFormat::Yaml);
  EXPECT_EQ(input_format("a.yaml", "{\"a\": [\n{}]}"), InputFormat::Yaml);
  EXPECT_EQ(input_format("a.yaml", "{\"a\":1}\n{\"b\":1}\n"), InputFormat::JsonText);
  EXPECT_EQ(input_format("a.yml", "{\"a\":1}\r\n{\"b\":1}"), InputFormat::JsonText);
  EXPECT_EQ(input_format("a.jsonl", "a: 1"), InputFormat::JsonText);
  EXPECT_EQ(input_format("-", " \n{\"a\":1}"), InputFormat::JsonText);
  EXPECT_EQ(input_format("-", "[]"), InputFormat::JsonText);
  EXPECT_EQ(input_format("-", "a: 1"), InputFormat::Yaml);
  EXPECT_EQ(input_format("-", "---\n{}"), InputFormat::Yaml);
  EXPECT_EQ(input_format("dump", ""), InputFormat::Yaml);
}

// The memory of what was read is given back on the way.
TEST_F(InputFiles, ALargeFileIsReadAsASmallOne) {
  constexpr int kPods = 25'000;
  std::string text;
  for (int i = 0; i < kPods; ++i) {
    text += R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(i) +
            R"(","annotations":{"note":")" + std::string(400, 'n') +
            R"("}},"spec":{"containers":[{"name":"c"}]}})" + "\n";
  }
  ASSERT_GT(text.size(), size_t{12} << 20);
  std::string path = put("large.jsonl", text + "{\"apiVersion\":\n");
  Vocabulary vocabulary;
  Manifest manifest = read_manifest({path}, vocabulary);
  ASSERT_EQ(manifest.objects.pods.size(), static_cast<size_t>(kPods));
  EXPECT_EQ(manifest.objects.pods.front().pod.name, "p0");
  EXPECT_EQ(manifest.objects.pods.back().pod.name, "p9999");
  ASSERT_EQ(manifest.diagnostics.size(), 1U);
  EXPECT_EQ(manifest.diagnostics.front().line, kPods + 2);
}

}  // namespace
}  // namespace trellis::input_files_test
