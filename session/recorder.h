// Writes down what a session decided, as a record.
#pragma once

#include "session/record.h"
#include "session/session.h"

namespace trellis {

CycleRecord make_record(const Session& session);

}  // namespace trellis
