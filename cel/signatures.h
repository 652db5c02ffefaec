// Which functions there are, and for which types.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types.h"

namespace trellis::cel {

// What a function does at run time. Arguments that are errors never reach it.
using Native = Value (*)(std::span<const Value> arguments);

struct Function {
  std::string_view name;
  // Called behind a receiver, which is the first argument.
  bool member = false;
  // Arguments and result: "list<A>, int: A". Several signatures are separated by "; ".
  std::string_view signatures;
  Native run = nullptr;
};

// All functions; what `name` may mean, in the order of the table.
std::span<const Function* const> functions_of(std::string_view name, bool member);
bool is_function(std::string_view name);

struct Signature {
  std::vector<TypeIndex> arguments;
  TypeIndex result = 0;
};

// The signatures of a function, with parameters of their own.
std::vector<Signature> signatures_of(const Function& function, Types& types);

}  // namespace trellis::cel
