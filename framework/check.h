// Preconditions that are checked in every build. A broken one ends the cycle, not the program.
//
// A broken precondition throws BrokenCheck. The code that runs cycles or answers questions
// (server/serve, server/app) catches it, carries out no decision, and continues with a new
// scheduler. Checks are for errors that no input may cause; errors that an input may cause are
// reported by its reader. Cost: a comparison with a predicted branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>

namespace trellis {

// what(): the condition that failed, and its location in the source.
class BrokenCheck : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void break_check(const char* what, const std::source_location& where);
// `table`: the signature of a member of a template over the id; the message takes the id's type
// from it.
[[noreturn]] void break_bounds(uint32_t id, size_t size, const char* table);

// `what`: the condition that must hold, in words.
constexpr void require(bool holds, const char* what,
                       const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    break_check(what, where);
}

}  // namespace trellis
