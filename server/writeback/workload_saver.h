// Workloads, their owners and their pods as the next cycle would read them.
//
// A workload that was made for its owner is written as an object of its own, so that its admission
// is kept. The owner of an admitted workload starts, with what its flavors give its pods; any other
// owner is suspended, with the templates of its workload.
// Cost: the text of what is written.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "server/document/json_objects.h"
#include "server/manifest/manifest.h"
#include "server/writeback/notes.h"
#include "server/writeback/save.h"
#include "session/cluster/cluster.h"

namespace trellis {

class WorkloadSaver {
 public:
  struct Source {
    const std::vector<RawObject>& objects;
    std::span<const WorkloadOwnership> owners;
    const Cluster& cluster;
    const WorkloadNotes& notes;
    TimeUs now = 0;
    SavedOwners state = SavedOwners::Started;
  };

  explicit WorkloadSaver(const Source& source);

  // Writes the text of a Workload, or of an owner of one, as it is now. False: `raw` is neither.
  bool save(const RawObject& raw, std::string& line) const;

  // Appends a line for each workload that has no object.
  void append_made(std::string& lines) const;

  // The object of a workload that has none. REQUIRES: the workload has owners.
  Json made_object(WorkloadId id) const;

  // Writes what a pod has from its workload: the gate while it waits, the domain's labels once it
  // is bound.
  void edit_pod(Json& pod, PodId id) const;

  // Lets a pod go to the domain of `node`: removes its gates, and adds what its workload gives it.
  // REQUIRES: its workload has started.
  void ungate_pod(Json& pod, PodId id, NodeId node) const;

 private:
  using ObjectName = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

  const WorkloadNote& note(WorkloadId id) const;
  // The templates by PodSet, from the Workload object or, without one, from its owners.
  std::map<std::string, Json> templates_of(WorkloadId id) const;
  Json job_set_of(const WorkloadOwnership& owner, const Json& train_job) const;
  std::string owner_line(const RawObject& raw, WorkloadId id) const;
  void start(Json& pod_template, WorkloadId id, size_t pod_set) const;
  void add_flavors(Json& spec, const PodSetAdmission& admitted) const;
  const PodSetAdmission* start_pod(Json& pod, const PodSlot& slot) const;
  void pin(Json& spec, const TopologyAssignment& assignment, NodeId node) const;

  Source source_;
  std::map<ObjectName, const RawObject*> objects_;  // owners, and runtimes of TrainJobs
  std::map<ObjectName, WorkloadId> owned_;          // by owner
  std::map<WorkloadId, std::vector<const WorkloadOwnership*>> owners_of_;
  std::map<WorkloadId, const RawObject*> read_;  // Workload objects
};

}  // namespace trellis
