// Reads YAML into documents, through libyaml's events.
#pragma once

#include <string_view>

#include "server/document/document_sink.h"

namespace trellis {

// Reads every document of `text`. A document that cannot be read makes a diagnostic; reading
// continues at the next line that begins with "---".
void read_yaml(std::string_view text, const ReadSink& sink);

}  // namespace trellis
