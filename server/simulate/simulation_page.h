// Simulations as one HTML file that needs nothing else: the figures side by side and plots over
// time, drawn by the code of server/page.
#pragma once

#include <span>

#include "server/simulate/simulation_output.h"
#include "server/text/byte_sink.h"

namespace trellis {

void write_simulation_page(ByteSink& sink, std::span<const SimulatedConfiguration> configurations);

}  // namespace trellis
