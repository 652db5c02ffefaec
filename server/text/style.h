// Colours for a terminal, and nothing at all for anything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class Colours : uint8_t { Off, On };

enum class Style : uint8_t { Plain, Bold, Dim, Good, Waiting, Bad };

// One line: what would not print becomes visible (printable.h).
std::string styled(std::string_view text, Style style, Colours colours);

// Length of one of the sequences that styled() writes, at the front of `text`; 0: it is none.
size_t style_length(std::string_view text);

}  // namespace trellis
