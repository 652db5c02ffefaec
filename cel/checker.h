// Types and names of an expression, before it runs.
#pragma once

#include "cel/ast.h"
#include "cel/types.h"

namespace trellis::cel {

struct CheckedType {
  // The type of the whole, as text: "bool", "list(int)".
  std::string name;
  bool is_dyn = false;
  // Of a list: its elements.
  bool is_list = false;
  bool element_is_dyn = false;
  // Of the value, or of a list's elements.
  Kind kind = Kind::Null;
};

// Gives each variable its slot, each call of a function in a namespace its full name, and each name
// of a type its value. Returns the first complaint.
Complaint check_types(Tree& tree, CheckedType& type);

}  // namespace trellis::cel
