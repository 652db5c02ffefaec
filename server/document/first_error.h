// The first error of an object: the reason why it is left out, or marked as broken.
#pragma once

#include <string_view>

#include "framework/shared_value.h"
#include "server/document/object_error.h"
#include "server/document/report.h"

namespace trellis {

// Finds the first error that is reported between construction and a call of in(). REQUIRES: a
// report has one FirstError at a time.
class FirstError {
 public:
  explicit FirstError(Report& report) : report_(report) { report_.await_error(); }

  // null: there is none.
  SharedValue<ObjectError> in(std::string_view kind, std::string_view name) const;

 private:
  Report& report_;
};

}  // namespace trellis
