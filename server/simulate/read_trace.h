// Reads traces: tables of gangs with their times, in the formats in which they are published.
//
// - columns: CSV whose head has any of name, arrival, duration (seconds), gpus, cpu, memory (sums
//   over the gang's pods), pods, queue, priority, level; a column that is missing, and a field that
//   is empty, is not set. Other columns are not read.
// - philly: timestamp, duration, num_gpus, cluster (Microsoft's trace, as CSV); the virtual cluster
//   is the queue.
// - openb: the list of pods of Alibaba's cluster-trace-gpu-v2023.
// - swf: the Standard Workload Format; a processor is a CPU.
//
// Guarantees: the result depends on the text alone; gangs are in order of arrival, then of name.
// Cost: O(bytes + gangs x log gangs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/result.h"
#include "server/simulate/traced_gang.h"

namespace trellis {

enum class TraceFormat : uint8_t { Columns, Philly, Openb, Swf };

inline constexpr std::pair<std::string_view, TraceFormat> kTraceFormats[] = {
    {"openb", TraceFormat::Openb},
    {"philly", TraceFormat::Philly},
    {"swf", TraceFormat::Swf},
    {"columns", TraceFormat::Columns}};

// `file`: the name that messages give. An error says what was found where, and what was expected.
Result<std::vector<TracedGang>> read_trace(std::string_view file, std::string_view text,
                                           TraceFormat format);

}  // namespace trellis
