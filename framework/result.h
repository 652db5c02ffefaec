// Result<T>: a value or one Error. Only at the edges (reading, configuration); the core is total.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace trellis {

struct Error {
  std::string message;  // a sentence for the user: what was found, what was expected
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> error(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace trellis
