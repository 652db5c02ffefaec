#include "server/output/style.h"

namespace trellis {
namespace {

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
  if (colours == Colours::Off || style == Style::Plain || text.empty()) return std::string(text);
  return std::string(escape_of(style)).append(text).append("\x1b[0m");
}

}  // namespace trellis
