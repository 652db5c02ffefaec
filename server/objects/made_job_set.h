// The JobSet that Kubeflow Trainer makes of a TrainJob and its runtime.
//
// A TrainJob names a TrainingRuntime or a ClusterTrainingRuntime, which has the template of the
// JobSet. The TrainJob patches the template and sets the number of pods and what each requests.
// The objects are as in the input, and may lack anything. Cost: O(their texts).
#pragma once

#include <string>
#include <string_view>

#include "server/document/json_objects.h"

namespace trellis {

inline constexpr std::string_view kTrainerGroup = "trainer.kubeflow.org";
inline constexpr std::string_view kRuntime = "TrainingRuntime";
inline constexpr std::string_view kClusterRuntime = "ClusterTrainingRuntime";

Json make_job_set(const Json& train_job, const Json& runtime);

struct RuntimeName {
  std::string kind;
  std::string name;  // "": the TrainJob names none
};
RuntimeName runtime_of(const Json& train_job);

}  // namespace trellis
