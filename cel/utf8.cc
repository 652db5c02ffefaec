#include "cel/utf8.h"

namespace trellis::cel {

void append_letter(std::string& text, char32_t letter) {
  auto tail = [&](unsigned shift) {
    text.push_back(static_cast<char>(0x80U | ((letter >> shift) & 0x3FU)));
  };
  if (letter < 0x80) {
    text.push_back(static_cast<char>(letter));
  } else if (letter < 0x800) {
    text.push_back(static_cast<char>(0xC0U | (letter >> 6U)));
    tail(0);
  } else if (letter < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | (letter >> 12U)));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | (letter >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::u32string letters_of(std::string_view text) {
  std::u32string letters;
  letters.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    auto first = static_cast<unsigned char>(text[at]);
    size_t more = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 4;
    bool valid = more < 4 && at + more < text.size();
    char32_t letter = more == 0 ? first : first & (0x3FU >> more);
    for (size_t i = 1; valid && i <= more; ++i) {
      auto next = static_cast<unsigned char>(text[at + i]);
      valid = (next & 0xC0U) == 0x80U;
      letter = (letter << 6U) | (next & 0x3FU);
    }
    letters.push_back(valid ? letter : U'\uFFFD');
    at += valid ? more + 1 : 1;
  }
  return letters;
}

std::string text_of(std::u32string_view letters) {
  std::string text;
  for (char32_t letter : letters) append_letter(text, letter);
  return text;
}

}  // namespace trellis::cel
