// trellis queues
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_queues(const QueuesArguments& arguments, Console& console);

}  // namespace trellis
