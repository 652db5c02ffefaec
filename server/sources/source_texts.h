// The texts of a source's objects, as of a cycle. They are shared with the source, so that an
// update costs O(what changed).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/shared_text.h"
#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"

namespace trellis {

struct TextChanges {
  std::vector<NamedText> texts;  // a null text: the object is gone
  bool whole = false;            // `texts` are all texts, in the order of reading
  bool make_pods = true;         // as in ReadOptions
  bool hold_gpu_fractions = false;
  std::optional<Shard> shard;  // whose objects are read; none: the whole cluster
};

class SourceTexts {
 public:
  void apply(TextChanges changes);
  // Reads all objects, with their raw text (keep_raw). Cost: O(bytes of all texts).
  Manifest read() const;
  // The objects on which any other may depend (far_reaching_text.h), as JSON lines in the order of
  // reading. Cost: O(bytes of the texts that changed since the last call), and O(texts).
  std::string far_reaching() const;
  // A part of the cluster alone is read.
  bool is_shard() const { return shard_.has_value(); }
  // False: in a live cluster the controllers of Jobs make their pods.
  bool make_pods() const { return make_pods_; }
  bool hold_gpu_fractions() const { return hold_gpu_fractions_; }

 private:
  struct Entry {
    StoredText text;
    uint64_t order = 0;                                    // of reading
    mutable std::optional<std::string> far_reaching = {};  // none: not looked for yet
  };
  using Texts = absl::flat_hash_map<SharedText, Entry, TextHash, TextEqual>;
  using Ordered = std::vector<std::pair<const SharedText*, const Entry*>>;
  Ordered in_order() const;

  Texts texts_;
  uint64_t next_order_ = 0;
  bool make_pods_ = true;
  bool hold_gpu_fractions_ = false;
  std::optional<Shard> shard_;
};

}  // namespace trellis
