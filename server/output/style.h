// Colours for a terminal, and nothing at all for anything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class Colours : uint8_t { Off, On };

enum class Style : uint8_t { Plain, Bold, Dim, Good, Waiting, Bad };

std::string styled(std::string_view text, Style style, Colours colours);

}  // namespace trellis
