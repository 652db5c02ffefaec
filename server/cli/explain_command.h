// trellis explain
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_explain(const ExplainArguments& arguments, Console& console);

}  // namespace trellis
