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
  bool hold_gpu_fractions = false;
  std::optional<Shard> shard;  // of which the objects are
};

class SourceTexts {
 public:
  void apply(TextChanges changes);
  // All of them, with their texts kept. Cost: reads all texts.
  Manifest read() const;
  // False: in a live cluster the controllers of Jobs make their pods.
  bool make_pods() const { return make_pods_; }
  bool hold_gpu_fractions() const { return hold_gpu_fractions_; }

 private:
  std::vector<NamedText> texts_;  // those without a text are free places
  std::unordered_map<std::string, size_t> places_;
  std::vector<size_t> free_;
  bool make_pods_ = true;
  bool hold_gpu_fractions_ = false;
  std::optional<Shard> shard_;
};

}  // namespace trellis
