// Calls that are macros: has(), all(), map(), cel.bind() and the like.
#pragma once

#include "cel/ast.h"

namespace trellis::cel {

// Turns a call that is a macro into the node of the macro; other calls stay as they are.
void expand_macro(const Tree& tree, Node& call, Complaint& complaint);

}  // namespace trellis::cel
