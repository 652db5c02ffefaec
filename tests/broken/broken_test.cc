// The quick look at the broken inputs: the reader alone, without the program around it (run.py).

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"

namespace trellis::broken_test {
namespace {

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(BrokenInputs, SayWhatIsWrong) {
  int cases = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(TRELLIS_SOURCE_DIR) / "tests/broken")) {
    if (!folder.is_directory() || folder.path().filename().string().starts_with("_")) continue;
    fs::path input = folder.path() / "input.yaml";
    if (!fs::exists(input)) input = folder.path() / "input.json";
    ++cases;
    Vocabulary vocabulary;
    Manifest manifest =
        read_manifest_text(input.filename().string(), file_text(input), vocabulary, {});
    std::string said;
    for (const Diagnostic& diagnostic : manifest.diagnostics) said += to_string(diagnostic) + "\n";
    EXPECT_TRUE(manifest.has_errors()) << folder.path();
    EXPECT_EQ(said, file_text(folder.path() / "expect.txt")) << folder.path();
  }
  EXPECT_GE(cases, 60);
}

// Whatever a broken object is cut down to, it is read without harm.
TEST(BrokenInputs, EveryBeginningOfThem) {
  for (const auto& folder : fs::directory_iterator(fs::path(TRELLIS_SOURCE_DIR) / "tests/broken")) {
    if (!folder.is_directory()) continue;
    for (const char* name : {"input.yaml", "input.json"}) {
      std::string text = file_text(folder.path() / name);
      for (size_t size = 0; size < std::min<size_t>(text.size(), 400); size += 7) {
        Vocabulary vocabulary;
        read_manifest_text(name, text.substr(0, size), vocabulary, {});
      }
    }
  }
}

}  // namespace
}  // namespace trellis::broken_test
