// Writes one document in the format that the user chose.
#pragma once

#include <functional>

#include "server/document/document_writer.h"
#include "server/document/output_format.h"

namespace trellis {

// Calls `write` with a writer for JsonText (expanded down to `expanded_depth`) or Yaml.
void write_document(ByteSink& sink, OutputFormat format, size_t expanded_depth,
                    const std::function<void(DocumentWriter&)>& write);

}  // namespace trellis
