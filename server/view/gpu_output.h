// Shows what the GPUs of a cluster are good for (session/explain/gpu_report.h).
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/explain/gpu_report.h"

namespace trellis {

// The field "gpus" of the current object.
void write_gpus(DocumentWriter& out, const Session& session, const GpuReport& report);

// A table of a few lines; "" for a cluster without GPUs.
std::string gpu_lines(const Session& session, const GpuReport& report, Colours colours);

}  // namespace trellis
