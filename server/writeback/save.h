// The cluster as objects for the next cycle: as they were read, with pods on their nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "server/text/byte_sink.h"
#include "server/writeback/notes.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Started: the owner of an admitted workload starts, any other is suspended. AsRead: owners and
// templates stay as they were read, as in the snapshot of a cycle that has only begun.
enum class SavedOwners : uint8_t { Started, AsRead };

// What is written of workloads besides the cluster's own record.
struct SavedWorkloads {
  std::span<const WorkloadOwnership> owners;
  const WorkloadNotes* notes = nullptr;  // null: no notes
  SavedOwners state = SavedOwners::Started;
};

// A line of kind Cycle, from which the reader takes a configuration and a time.
std::string cycle_line(const CycleObject& cycle);

// JSON lines, one object each, in the order of `objects`. Pods that did not move since they were
// read keep their text; the others get node, phase, start time and GPU groups of the cluster's
// record and their notes, and lose what described their former place. `now`: the time at which
// leaving pods were evicted. PodGroups get the two annotations with the times since which their
// gangs run, and run below their minimum; NodeResourceTopologies an annotation with the pods that
// have left since the report (objects/zone_leavers_text.h). Workloads, their owners and their pods:
// workload_saver.h.
void save_objects(ByteSink& sink, const std::vector<RawObject>& objects, const Cluster& cluster,
                  const BindNotes& notes, TimeUs now, const SavedWorkloads& workloads = {});

}  // namespace trellis
