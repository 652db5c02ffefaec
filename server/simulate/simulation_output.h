// Simulations as tables, JSON and CSV.
#pragma once

#include <span>
#include <string>

#include "server/document/document_writer.h"
#include "server/simulate/figures.h"
#include "server/simulate/simulation_result.h"
#include "server/text/byte_sink.h"
#include "server/view/text_table.h"

namespace trellis {

struct SimulatedConfiguration {
  SimulationResult result;
  SimulationFigures figures;
};

// A configuration a row, then its queues.
std::string simulation_table(std::span<const SimulatedConfiguration> configurations,
                             TableForm form);

// {"kind":"Simulation","configurations":[{"name","gangs","finished","waitSeconds":{"mean","p50",
// "p95","p99"},"completionSeconds":{...},"boundedSlowdown":{...},"gpuUtilization","evictions",
// "makespanSeconds","queues":[...]}]}
void write_simulation(DocumentWriter& out, std::span<const SimulatedConfiguration> configurations);

// One of its configurations.
void write_configuration(DocumentWriter& out, const SimulatedConfiguration& configuration);

// Every figure, a configuration a row.
std::string simulation_csv(std::span<const SimulatedConfiguration> configurations);

// {"name","arrival","start","end","gpus","domains":[...],"evictions"} a line: seconds from the
// beginning, null for what did not happen. With several configurations "configuration" comes first.
void write_gangs(ByteSink& sink, std::span<const SimulatedConfiguration> configurations);

// The samples of all configurations as CSV, a row each.
void write_series(ByteSink& sink, std::span<const SimulatedConfiguration> configurations);

}  // namespace trellis
