// The program without its process: its commands, and from a command line to an exit code.
#pragma once

#include <string>
#include <vector>

#include "server/app/arguments.h"
#include "server/app/console.h"

namespace trellis {

// The commands, each with its typed arguments.
ExitCode run(const ScheduleArguments& arguments, Console& console);
ExitCode run(const ExplainArguments& arguments, Console& console);
ExitCode run(const FitArguments& arguments, Console& console);
ExitCode run(const TopologyArguments& arguments, Console& console);
ExitCode run(const ReportArguments& arguments, Console& console);
ExitCode run(const TopologyImportArguments& arguments, Console& console);
ExitCode run(const QueuesArguments& arguments, Console& console);
ExitCode run(const WhatifArguments& arguments, Console& console);
ExitCode run(const DefragArguments& arguments, Console& console);
ExitCode run(const PlanArguments& arguments, Console& console);
ExitCode run(const SimulateArguments& arguments, Console& console);
ExitCode run(const ValidateArguments& arguments, Console& console);
ExitCode run(const SnapshotSaveArguments& arguments, Console& console);
ExitCode run(const ServeArguments& arguments, Console& console);  // until a signal ends it

// `words`: the command line without the program's name.
ExitCode run_program(const std::vector<std::string>& words, Console& console,
                     const Caller& caller = {});

}  // namespace trellis
