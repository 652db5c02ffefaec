// A live cluster's objects, one a text, of a world that changes: each has a kind and a name, as an
// API server sees to, whatever else is wrong with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "tests/worlds/choices.h"
#include "tests/worlds/world.h"

namespace trellis::worlds {

class WorldTexts {
 public:
  // REQUIRES: `shipped` outlives the object, and is not empty.
  WorldTexts(std::span<const World> shipped, uint64_t seed);

  // Objects come, change or go: what became of their texts.
  std::vector<NamedText> step(int changes);
  // All there are, by name.
  std::vector<NamedText> all() const;

 private:
  void change();

  std::span<const World> shipped_;
  Choices choices_;
  World world_;
  std::map<std::string, StoredText> texts_;
};

}  // namespace trellis::worlds
