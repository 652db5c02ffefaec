// The commands of `trellis`, each with its typed arguments.
#pragma once

#include "server/app/arguments.h"
#include "server/app/console.h"

namespace trellis {

ExitCode run(const ScheduleArguments& arguments, Console& console);
ExitCode run(const ExplainArguments& arguments, Console& console);
ExitCode run(const TopologyArguments& arguments, Console& console);
ExitCode run(const QueuesArguments& arguments, Console& console);
ExitCode run(const WhatifArguments& arguments, Console& console);
ExitCode run(const ValidateArguments& arguments, Console& console);
ExitCode run(const ServeArguments& arguments, Console& console);  // until a signal ends it

}  // namespace trellis
