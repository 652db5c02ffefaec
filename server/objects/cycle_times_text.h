// The appointments of waiting gangs, the run times of past ones, and the times of gangs without a
// PodGroup, as kind Cycle keeps them.
#pragma once

#include <string>
#include <vector>

#include "framework/appointment.h"
#include "framework/run_history.h"
#include "server/document/field_reader.h"
#include "server/objects/cycle_object.h"

namespace trellis {

// A JSON list, on one line.
std::string appointments_text(const Appointments& appointments);

// What is not understood is reported, and its appointment left out.
Appointments read_appointments(Value list, FieldReader& fields);

// The same of past runs; lengths in seconds.
std::string past_runs_text(const RunHistory& history);
RunHistory read_past_runs(Value list, FieldReader& fields);

// The same of the times of gangs.
std::string gang_times_text(const std::vector<GangTimes>& gangs);
std::vector<GangTimes> read_gang_times(Value list, FieldReader& fields);

}  // namespace trellis
