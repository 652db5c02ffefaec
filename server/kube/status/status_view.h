// The input of all status writers: a finished cycle, and the newest objects.
#pragma once

#include <span>

#include "framework/time.h"
#include "server/kube/watch/live_objects.h"
#include "server/manifest/manifest.h"
#include "server/writeback/notes.h"
#include "session/cluster/cluster.h"
#include "session/cycle/session.h"
#include "session/record/record.h"

namespace trellis {

struct StatusView {
  const Cluster& cluster;                     // as the cycle found it
  const CycleRecord& record;                  // what it decided
  const WorkloadNotes& notes;                 // what cycles noted about workloads
  const Session& session;                     // at the cycle's end
  std::span<const WorkloadOwnership> owners;  // by namespace and workload
  const LiveObjects& objects;
  TimeUs now = 0;
};

}  // namespace trellis
