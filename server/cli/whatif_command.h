// trellis whatif
#pragma once

#include "server/cli/arguments.h"
#include "server/cli/console.h"

namespace trellis {

ExitCode run_whatif(const WhatifArguments& arguments, Console& console);

}  // namespace trellis
