// The whole way of a world through the program, without its process: read, decide, explain all that
// was decided about, every output, whatif, save, read again, decide again.
#pragma once

#include <string>

#include "tests/worlds/choices.h"
#include "tests/worlds/world.h"

namespace trellis::worlds {

// Why the way is wrong, or "": an output that is no document, an exit code that is none of the
// program's, another order of the same objects that gives other bytes, sums that are not those of
// the rows, a saved cycle that decides otherwise. A crash or an endless loop is the caller's to
// see. Writes the world into a temporary folder of its own.
std::string whole_way(const World& world, Choices& choices);

}  // namespace trellis::worlds
