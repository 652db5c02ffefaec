// One document in the format that the user asked for.
#pragma once

#include <functional>

#include "server/output/document_writer.h"
#include "server/output/output_format.h"

namespace trellis {

// Calls `write` with a writer for Json (expanded down to `expanded_depth`) or Yaml.
void write_document(ByteSink& sink, OutputFormat format, size_t expanded_depth,
                    const std::function<void(DocumentWriter&)>& write);

}  // namespace trellis
