// GPU models as bits: each name gets the next bit when it is first seen. A cluster has few; names
// beyond the last bit share one.
// Cost: bit() O(1) for a model that was seen.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/pod_shape.h"
#include "framework/string_table.h"

namespace trellis {

class GpuModelBits {
 public:
  // kNone: kNoModel.
  int32_t bit(StrId model, const StringTable& strings);
  int32_t bit(std::string_view name);

  const std::vector<std::string>& names() const { return names_; }
  // Continues with these names. True: some bits are others.
  bool recall(std::vector<std::string> names);

 private:
  std::vector<std::string> names_;                // by bit
  absl::flat_hash_map<uint32_t, int32_t> known_;  // by the vocabulary's ids
};

}  // namespace trellis
