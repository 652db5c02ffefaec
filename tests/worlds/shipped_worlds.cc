#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "tests/worlds/world.h"

namespace trellis::worlds {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// More than this makes a run too slow to be repeated by the million.
constexpr size_t kMostObjects = 150;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> input_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    bool input = name.ends_with(".yaml") || name.ends_with(".json") || name.ends_with(".jsonl");
    if (input && name != "config.yaml" && !name.starts_with("expect.")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

World read_world(const fs::path& folder) {
  World world{.name = folder.filename().string()};
  Vocabulary vocabulary;
  Manifest manifest =
      read_manifest(input_files(folder), vocabulary, {.keep_raw = true, .make_pods = false});
  for (const RawObject& raw : manifest.raw) {
    json object = json::parse(raw.json, nullptr, false);
    if (object.is_object()) world.objects.push_back(std::move(object));
  }
  if (fs::exists(folder / "config.yaml")) world.config = text_of(folder / "config.yaml");
  return world;
}

}  // namespace

std::string json_lines(const std::vector<json>& objects) {
  std::string text;
  for (const json& object : objects) {
    text += object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }
  return text;
}

std::vector<World> shipped_worlds() {
  std::vector<fs::path> folders;
  for (const char* place : {"tests/scenarios", "examples"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TRELLIS_SOURCE_DIR) / place)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  std::vector<World> worlds;
  for (const fs::path& folder : folders) {
    World world = read_world(folder);
    if (!world.objects.empty() && world.objects.size() <= kMostObjects) {
      worlds.push_back(std::move(world));
    }
  }
  return worlds;
}

}  // namespace trellis::worlds
