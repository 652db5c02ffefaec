// Constants that a function cannot take, found before an expression runs.
#pragma once

#include "cel/ast.h"

namespace trellis::cel {

// A pattern that does not compile, or a constant that a conversion refuses.
Complaint complaint_of_literals(const Tree& tree, const Node& call);

}  // namespace trellis::cel
