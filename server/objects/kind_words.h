// The words that follow `kind:` in a text, without reading it: the kinds of its objects, and
// perhaps other words.
//
// Guarantees: no kind of an object is left out where the text is valid JSON or YAML that writes
// kinds as they are, without escapes, anchors or block scalars.
// Cost: O(bytes).
#pragma once

#include <functional>
#include <string_view>

namespace trellis {

// Calls use(word) until it returns true. Whether it did.
bool any_kind_word(std::string_view text, const std::function<bool(std::string_view word)>& use);

}  // namespace trellis
