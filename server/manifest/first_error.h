// Why an object waits: the first error that was found in it, as a reason.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/reason.h"
#include "server/manifest/report.h"

namespace trellis {

// What is reported between its making and a question.
class FirstError {
 public:
  explicit FirstError(Report& report) : report_(report), before_(report.diagnostics().size()) {
    report_.keep_next_error();
  }

  // Misconfigured, with what was found where and what was expected; nullopt when there is none.
  std::optional<Reason> misconfigured() const;

 private:
  Report& report_;
  size_t before_;
};

}  // namespace trellis
