// Manual pages: trellis(1), and one of each command.
#pragma once

#include <span>
#include <string>

#include "server/app/command_text.h"

namespace trellis {

// In roff. `command`: the name of one of `texts`; the first of them is the program's own.
std::string man_page(const std::string& command, std::span<const CommandText> texts);

}  // namespace trellis
