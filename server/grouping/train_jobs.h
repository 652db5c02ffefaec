// The JobSets that Kubeflow Trainer makes of TrainJobs and their runtimes, as texts that are read
// like those of the input (server/objects/made_job_set.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// What make_job_sets() needs of a TrainJob that makes pods or a workload now, or of a runtime.
// Null: of any other object, and of a TrainJob that names no runtime, which is reported.
std::shared_ptr<const std::string> trainer_text(Value object, const OwnerRecord& record,
                                                FieldReader& fields);

enum class JobSetUse : uint8_t {
  Pods,      // of TrainJobs without a queue name whose JobSets are not among the records
  Workload,  // of TrainJobs with a queue name: the JobSet has the keys of the TrainJob
};

struct MadeJobSet {
  std::string of;        // "TrainJob NAMESPACE/NAME"
  std::string text;      // JSON
  size_t train_job = 0;  // among the owners of the records
};
// In order of namespace and name. Warns of a TrainJob whose runtime is missing, unless its pods are
// there.
std::vector<MadeJobSet> make_job_sets(JobSetUse use, Records& records, FieldReader& fields);

}  // namespace trellis
