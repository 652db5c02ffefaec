// The program without its process: from a command line and a console to an exit code.
#pragma once

#include <string>
#include <vector>

#include "server/app/console.h"

namespace trellis {

// `words`: the command line without the program's name.
ExitCode run_program(const std::vector<std::string>& words, Console& console);

}  // namespace trellis
