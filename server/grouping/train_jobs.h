// The JobSets that Kubeflow Trainer makes of TrainJobs and their runtimes, as texts that are read
// like those of the input (server/objects/made_job_set.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// What make_job_sets() needs of a TrainJob that makes pods now, or of a runtime. Null: of any other
// object, and of a TrainJob that names no runtime, which is reported.
std::shared_ptr<const std::string> trainer_text(Value object, const OwnerRecord& record,
                                                FieldReader& fields);

struct MadeJobSet {
  std::string of;    // "TrainJob NAMESPACE/NAME"
  std::string text;  // JSON
};
// One for each TrainJob whose JobSet is not among the records, in order of namespace and name.
// Warns of a TrainJob whose runtime is missing, unless its pods are there.
std::vector<MadeJobSet> make_job_sets(Records& records, FieldReader& fields);

}  // namespace trellis
