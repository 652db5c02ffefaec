// Which objects a workload is of: those that its own object names, or those that it was made of.
//
// A workload without an object is found among the Jobs that ask for one, by the name that Kueue
// gives it. Cost: of a look O(Jobs) where some such workload is not known yet, and the text of each
// Job that changed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/kube/live_objects.h"
#include "server/manifest/manifest.h"
#include "session/cluster.h"

namespace trellis {

class WorkloadOwners {
 public:
  // In order of their names.
  std::vector<WorkloadOwnership> of(const Cluster& cluster, WorkloadId id,
                                    const LiveObjects& objects);
  // Jobs may have come: they are read again once, where some workload asks for it.
  void look_again() { is_fresh_ = false; }

 private:
  struct Job {
    std::shared_ptr<const std::string> text;
    std::string name_space;
    std::string name;
    std::string workload;  // empty: it asks for none
  };
  void read_jobs(const LiveObjects& objects);

  bool is_fresh_ = false;
  std::map<std::string, Job> jobs_;                 // "NAMESPACE/NAME"
  std::map<std::string, std::string> by_workload_;  // "NAMESPACE/WORKLOAD": the job's key
};

}  // namespace trellis
