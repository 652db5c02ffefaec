// The texts that a source's objects are read from, as of a cycle: shared with the source, so that
// following it costs O(what changed).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"

namespace trellis {

struct TextChanges {
  std::vector<NamedText> texts;  // null: it is gone
  bool whole = false;            // these are all that there are, in the order of reading
  bool make_pods = true;         // as ReadOptions'
  std::optional<Shard> shard;    // of which the objects are
};

class SourceTexts {
 public:
  void apply(TextChanges changes);
  // All of them as objects, in the order of a Manifest's. Cost: reads all texts.
  std::vector<RawObject> objects() const;

 private:
  std::vector<NamedText> texts_;  // those without a text are free places
  std::unordered_map<std::string, size_t> places_;
  std::vector<size_t> free_;
  bool make_pods_ = true;
  std::optional<Shard> shard_;
};

}  // namespace trellis
