// Preconditions that are checked in every build: one that is broken ends the cycle, not the
// program.
//
// A broken one throws BrokenCheck. What runs cycles or answers questions catches it there, carries
// nothing out, and begins with a new scheduler (server/serve, server/app). It is for what no input
// may cause; what an input may cause is reported by its reader. Cost: a comparison that is
// foreseen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>

namespace trellis {

// what(): which check, and where it stands.
class BrokenCheck : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void break_check(const char* what, const std::source_location& where);
// `table`: the signature of a member of a template over the id; the message names the id's type.
[[noreturn]] void break_bounds(uint32_t id, size_t size, const char* table);

// `what`: the condition that must hold, in words.
constexpr void require(bool holds, const char* what,
                       const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    break_check(what, where);
}

}  // namespace trellis
