// Colours for a terminal; other outputs get none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class Colours : uint8_t { Off, On };

enum class Style : uint8_t { Plain, Bold, Dim, Good, Waiting, Bad };

// For one line: characters that do not print become visible (printable.h).
std::string styled(std::string_view text, Style style, Colours colours);

// The length of the sequence of styled() at the front of `text`; 0: there is none.
size_t style_length(std::string_view text);

}  // namespace trellis
