// trellis schedule
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_schedule(const ScheduleArguments& arguments, Console& console);

}  // namespace trellis
