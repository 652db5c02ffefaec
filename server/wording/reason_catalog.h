// The meaning and remedy of each reason code, for docs/reasons.md and for explanations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/reason.h"

namespace trellis {

struct ReasonEntry {
  ReasonCode code = ReasonCode::None;
  std::string_view about;    // Node or Gang
  std::string_view meaning;  // a sentence
  std::string_view remedy;   // what a user can do
};

ReasonEntry reason_entry(ReasonCode code);

// Every code but None, in the enum's order.
std::vector<ReasonCode> all_reason_codes();

// docs/reasons.md, whole.
std::string reasons_document();

}  // namespace trellis
