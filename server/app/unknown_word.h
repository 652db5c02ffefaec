// Messages about words that the command line does not know, each with the nearest that it does.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trellis {

// `unknown command "shedule": did you mean "schedule"?`, or the words to choose from.
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates);

}  // namespace trellis
