// Real objects, changed as bytes say, through the whole program.
//
// TRELLIS_WORLD=FOLDER keeps the world of each input there, as `in.jsonl` and `config.yaml`, so
// that the one that failed can be given to the binary.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/worlds/whole_way.h"
#include "tests/worlds/world_mutator.h"

using namespace trellis::worlds;

namespace {

void keep(const World& world, const char* folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::path place = folder;
  std::ofstream(place / "in.jsonl") << json_lines(world.objects);
  std::ofstream(place / "config.yaml") << world.config;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<World> shipped = shipped_worlds();
  Choices choices(std::span(data, size));
  World world = mutated_world(shipped, choices);
  if (const char* folder = std::getenv("TRELLIS_WORLD")) keep(world, folder);
  std::string wrong = whole_way(world, choices);
  if (!wrong.empty()) {
    std::fprintf(stderr, "world of %s: %s\n", world.name.c_str(), wrong.c_str());
    std::abort();
  }
  return 0;
}
