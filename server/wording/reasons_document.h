// Generates docs/reasons.md: what each reason code means, and what to do.
#pragma once

#include <string>

namespace trellis {

// The whole document.
std::string reasons_document();

}  // namespace trellis
