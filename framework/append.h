// append() for vectors of trivially copyable values. The push_back() of a temporary is
// emplace_back(), which the hardened library asserts in and no longer inlines: that costs a tenth
// of a cycle where a cycle's small records are kept.
#pragma once

#include <type_traits>
#include <vector>

namespace trellis {

template <class T>
void append(std::vector<T>& to, const std::type_identity_t<T>& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.push_back(value);
}

}  // namespace trellis
