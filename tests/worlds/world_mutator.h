// Changes of objects that keep their structure: what a hurried user, an old controller or an
// attacker would hand in.
#pragma once

#include <span>

#include "tests/worlds/choices.h"
#include "tests/worlds/world.h"

namespace trellis::worlds {

// A world of one or two of `shipped`, with 0 to some 12 changes: fields that are dropped, renamed,
// given another type, null, doubled, extreme or swapped; names that dangle, name their own object
// or close a circle; objects that go, take another name or come many times. REQUIRES: `shipped` is
// not empty.
World mutated_world(std::span<const World> shipped, Choices& choices);

// One more such change.
void mutate(World& world, Choices& choices);

}  // namespace trellis::worlds
