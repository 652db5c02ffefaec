// From the text of an expression to its tree, macros expanded.
#pragma once

#include <string_view>

#include "cel/ast.h"

namespace trellis::cel {

// An expression nests at most so deep, in its text and as a tree: deeper ones are refused.
inline constexpr int kDeepest = 250;
// A chain of arithmetic, comparisons or fields has at most so many links, as in cel-go.
inline constexpr int kLongestChain = 248;
inline constexpr int kDeepestTree = 1000;

struct Parsed {
  Tree tree;
  Complaint complaint;
};

// Names are not looked up yet. Cost: linear in the text.
Parsed parse_expression(std::string_view text);

}  // namespace trellis::cel
