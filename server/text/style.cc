#include "server/text/style.h"

#include <array>

#include "server/text/printable.h"

namespace trellis {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::array kStyles = {Style::Bold, Style::Dim, Style::Good, Style::Waiting, Style::Bad};

std::string_view escape_of(Style style) {
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Bold:
      return "\x1b[1m";
    case Style::Dim:
      return "\x1b[2m";
    case Style::Good:
      return "\x1b[32m";
    case Style::Waiting:
      return "\x1b[33m";
    case Style::Bad:
      return "\x1b[31m";
  }
  return "";
}

}  // namespace

std::string styled(std::string_view text, Style style, Colours colours) {
  std::string line = printable(text);
  if (colours == Colours::Off || style == Style::Plain || line.empty()) return line;
  return std::string(escape_of(style)).append(line).append(kReset);
}

size_t style_length(std::string_view text) {
  if (text.starts_with(kReset)) return kReset.size();
  for (Style style : kStyles) {
    if (text.starts_with(escape_of(style))) return escape_of(style).size();
  }
  return 0;
}

}  // namespace trellis
