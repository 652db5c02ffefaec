#include "server/manifest/kueue_loader.h"

#include <utility>

#include "server/objects/decode_meta.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

void add_workload(NamedObject named, PodDecoder& pods, FieldReader& fields,
                  const RecordKeeper& keeper, KueueRecords& records) {
  WorkloadRecord record = decode_workload(named.object, pods, fields);
  record.owners = decode_owners(named.object["metadata"], named.meta.key.name_space, fields);
  Workload& workload = record.workload;
  workload.name_space = named.meta.key.name_space;
  workload.name = std::move(named.name);
  workload.uid = named.meta.uid;
  workload.created = named.meta.created;
  if (workload.queued == kNoTime) workload.queued = workload.created;
  record.meta = std::move(named.meta);
  keeper.keep(std::move(record), records.workloads);
}

}  // namespace

bool add_kueue_record(NamedObject named, KindId kind, PodDecoder& pods, FieldReader& fields,
                      const RecordKeeper& keeper, KueueRecords& records) {
  switch (kind) {
    case KindId::Flavor: {
      FlavorRecord record = decode_flavor(named.object, fields);
      record.flavor.name = std::move(named.name);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.flavors);
      return true;
    }
    case KindId::ClusterQueue: {
      ClusterQueueRecord record = decode_cluster_queue(named.object, fields);
      record.queue.name = std::move(named.name);
      record.queue.created = named.meta.created;
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.cluster_queues);
      return true;
    }
    case KindId::LocalQueue: {
      LocalQueueRecord record = decode_local_queue(named.object, fields);
      record.queue.name_space = named.meta.key.name_space;
      record.queue.name = std::move(named.name);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.local_queues);
      return true;
    }
    case KindId::Cohort: {
      CohortRecord record = decode_cohort(named.object, fields);
      record.cohort.name = std::move(named.name);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.cohorts);
      return true;
    }
    case KindId::WorkloadPriorityClass: {
      PriorityClassRecord record = decode_priority_class(named.object, fields);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.priority_classes);
      return true;
    }
    case KindId::AdmissionCheck: {
      AdmissionCheckRecord record = decode_admission_check(named.object, fields);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.checks);
      return true;
    }
    case KindId::Workload:
      add_workload(std::move(named), pods, fields, keeper, records);
      return true;
    case KindId::DaemonSet: {
      DaemonSetRecord record = decode_daemon_set(named.object, pods, fields);
      record.daemon_set.name_space = named.meta.key.name_space;
      record.daemon_set.name = std::move(named.name);
      record.meta = std::move(named.meta);
      keeper.keep(std::move(record), records.daemon_sets);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace trellis
