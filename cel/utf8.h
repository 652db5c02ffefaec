// Texts as letters (Unicode code points).
#pragma once

#include <string>
#include <string_view>

namespace trellis::cel {

void append_letter(std::string& text, char32_t letter);
// What is not UTF-8 becomes U+FFFD.
std::u32string letters_of(std::string_view text);
std::string text_of(std::u32string_view letters);

}  // namespace trellis::cel
