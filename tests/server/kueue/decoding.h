// An assignment out of JSON text, as it would be read inside of an object.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "framework/workload.h"

namespace trellis::test {

struct Decoding {
  std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();
  std::optional<TopologyAssignment> assignment;
  std::vector<std::string> diagnostics;  // as they are printed

  // "level,level: value/value*count value/value*count"
  std::string text() const;
};

Decoding decode(const std::string& json);

}  // namespace trellis::test
