// Messages about unknown words of the command line, each with the nearest valid word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trellis {

// `unknown command "shedule": did you mean "schedule"?`, or the list of valid words.
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates);

}  // namespace trellis
