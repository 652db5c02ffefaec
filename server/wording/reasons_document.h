// docs/reasons.md: what each reason code means, and what to do.
#pragma once

#include <string>

namespace trellis {

// The document, whole.
std::string reasons_document();

}  // namespace trellis
