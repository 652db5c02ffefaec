// A shape: a Node that stands for any number of nodes like it, which a plan may buy.
//
// The annotation trellis.scheduler/price says what one of them costs, in any unit; without it the
// price is 1. Prices are whole millionths, so that sums of them are exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/node.h"
#include "framework/result.h"
#include "framework/vocabulary.h"

namespace trellis {

inline constexpr std::string_view kPriceKey = "trellis.scheduler/price";
inline constexpr int64_t kPriceUnit = 1'000'000;
inline constexpr int64_t kNoMost = INT64_MAX;

struct NodeShape {
  std::string name;
  Node node;               // ready, not cordoned, without a name
  int64_t most = kNoMost;  // so many may be bought
  int64_t price_micro = kPriceUnit;
};

// `word`: FILE, or FILE=MAX with the most that may be bought. The file holds one Node, and is read
// with the vocabulary of the cluster. An error says what is wrong with the file.
Result<NodeShape> read_shape(const std::string& word, Vocabulary& vocabulary);

}  // namespace trellis
