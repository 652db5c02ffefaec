#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

// Until it is told to end.
ExitCode run_serve(const ServeArguments& arguments, Console& console);

}  // namespace trellis
