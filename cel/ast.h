// An expression as a tree in an array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cel/value.h"

namespace trellis::cel {

using NodeIndex = uint32_t;

enum class NodeKind : uint8_t {
  Constant,
  // A variable of a macro (`slot`), `device`, or the name of a type; the checker decides.
  Name,
  // children: operand; `text`: the field.
  Select,
  // As Select, in has().
  Presence,
  // children: operand, key.
  Index,
  // children: arguments; a member call's receiver comes first.
  Call,
  And,
  Or,
  Conditional,
  // children: elements; `optional` says which are `?x`.
  ListOf,
  // children: key, value, key, value, ...
  MapOf,
  // children: range, then bodies; `macro`, `slot`.
  Macro,
};

enum class Macro : uint8_t {
  All,
  Exists,
  ExistsOne,
  Map,
  Filter,
  Bind,
  TransformList,
  TransformMap,
  TransformMapEntry,
  SortBy,
  OptMap,
  OptFlatMap,
};

struct Node {
  NodeKind kind = NodeKind::Constant;
  Macro macro = Macro::All;
  // Of a call: written behind its receiver. Of Select and Index: `.?` and `[?`.
  bool member = false;
  bool chained = false;
  // Of a macro: how many variables it has (1 or 2).
  uint8_t variables = 0;
  // Of a macro: where its first variable is kept; of a Name: where it is read. -1: no variable.
  int32_t slot = -1;
  // Where it begins in the text, in letters.
  uint32_t position = 0;
  std::string text;
  // Of a macro with two variables.
  std::string second;
  Value constant;
  std::vector<NodeIndex> children;
  std::vector<bool> optional;
};

struct Tree {
  std::vector<Node> nodes;
  NodeIndex root = 0;
  // How many variables are visible at one time, at most.
  int32_t slots = 0;
};

// What is wrong with an expression, and where. Empty text: nothing.
struct Complaint {
  std::string text;
  uint32_t position = 0;
  bool found() const { return !text.empty(); }
};

}  // namespace trellis::cel
