// The error of an object that is kept nevertheless, and the reasons for what depends on the object
// to wait.
#pragma once

#include <string>

#include "framework/reason.h"
#include "server/document/report.h"

namespace trellis {

// The first error that was found in an object.
struct ObjectError {
  std::string object;  // its kind and name
  std::string text;    // the location in it, what was found and what was expected
};

// Why a gang waits that depends on this object.
Reason invalid_object(const ObjectError& error);
// Why a gang waits in which only this value could not be understood.
Reason invalid_value(std::string path, const Finding& finding);

// Why this object waits (a workload) or is inactive (a ClusterQueue).
Reason misconfigured(const ObjectError& error);
// Why a workload waits that was made from this object.
Reason misconfigured_by(const ObjectError& error);

}  // namespace trellis
