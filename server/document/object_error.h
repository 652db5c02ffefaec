// What is wrong with an object that is kept all the same, and why what depends on it waits.
#pragma once

#include <string>

#include "framework/reason.h"
#include "server/document/report.h"

namespace trellis {

// The first error that was found in an object.
struct ObjectError {
  std::string object;  // its kind and name
  std::string text;    // where in it, what was found and what was expected
};

// Why the gang waits that depends on this object.
Reason invalid_object(const ObjectError& error);
// Why a gang waits that was understood but for this value.
Reason invalid_value(std::string path, const Finding& finding);

// Why this object waits, if it is a workload, or is inactive, if it is a ClusterQueue.
Reason misconfigured(const ObjectError& error);
// Why the workload waits that was made of this object.
Reason misconfigured_by(const ObjectError& error);

}  // namespace trellis
