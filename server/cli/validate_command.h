// trellis validate
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_validate(const ValidateArguments& arguments, Console& console);

}  // namespace trellis
