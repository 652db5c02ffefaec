// The part of an object's text that is read: a text that differs in nothing else is not decoded.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/document/document.h"

namespace trellis {

// A hash of all parts of the object that are read. `object`: the text holds nothing else; no value:
// all of the text is read. Cost: O(elements of the object).
uint64_t content_of(Value object, std::string_view text);

}  // namespace trellis
