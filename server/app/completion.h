// Scripts by which shells complete the program's commands, options and words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "server/app/command_text.h"

namespace trellis {

enum class Shell : uint8_t { Bash, Zsh, Fish };

// `texts`: the program's own, then those of its commands.
std::string completion(Shell shell, std::span<const CommandText> texts);

}  // namespace trellis
