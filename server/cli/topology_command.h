// trellis topology
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_topology(const TopologyArguments& arguments, Console& console);

}  // namespace trellis
