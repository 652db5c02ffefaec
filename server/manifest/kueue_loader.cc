#include "server/manifest/kueue_loader.h"

#include <utility>

#include "server/manifest/decode_cluster_queue.h"
#include "server/manifest/decode_daemon_set.h"
#include "server/manifest/decode_flavor.h"
#include "server/manifest/decode_meta.h"
#include "server/manifest/decode_queue.h"
#include "server/manifest/decode_workload.h"

namespace trellis {
namespace {

void add_workload(NamedObject named, PodDecoder& pods, FieldReader& fields, KueueRecords& records) {
  WorkloadRecord record = decode_workload(named.object, pods, fields);
  record.owners = decode_owners(named.object["metadata"], named.meta.key.name_space, fields);
  Workload& workload = record.workload;
  workload.name_space = named.meta.key.name_space;
  workload.name = std::move(named.name);
  workload.uid = named.meta.uid;
  workload.created = named.meta.created;
  if (workload.queued == kNoTime) workload.queued = workload.created;
  record.meta = std::move(named.meta);
  records.workloads.push_back(std::move(record));
}

}  // namespace

bool add_kueue_record(NamedObject named, KindId kind, PodDecoder& pods, FieldReader& fields,
                      KueueRecords& records) {
  size_t errors = fields.report().errors();
  switch (kind) {
    case KindId::Flavor: {
      FlavorRecord record = decode_flavor(named.object, fields);
      record.flavor.name = std::move(named.name);
      record.meta = std::move(named.meta);
      records.flavors.push_back(std::move(record));
      return true;
    }
    case KindId::ClusterQueue: {
      ClusterQueueRecord record = decode_cluster_queue(named.object, fields);
      record.queue.name = std::move(named.name);
      record.queue.created = named.meta.created;
      record.meta = std::move(named.meta);
      records.cluster_queues.push_back(std::move(record));
      return true;
    }
    case KindId::LocalQueue: {
      LocalQueueRecord record = decode_local_queue(named.object, fields);
      record.queue.name_space = named.meta.key.name_space;
      record.queue.name = std::move(named.name);
      record.meta = std::move(named.meta);
      records.local_queues.push_back(std::move(record));
      return true;
    }
    case KindId::Cohort: {
      CohortRecord record = decode_cohort(named.object, fields);
      record.cohort.name = std::move(named.name);
      record.meta = std::move(named.meta);
      records.cohorts.push_back(std::move(record));
      return true;
    }
    case KindId::WorkloadPriorityClass: {
      PriorityClassRecord record = decode_priority_class(named.object, fields);
      record.meta = std::move(named.meta);
      if (fields.report().errors() == errors) {
        records.priority_classes.push_back(std::move(record));
      }
      return true;
    }
    case KindId::AdmissionCheck: {
      AdmissionCheckRecord record = decode_admission_check(named.object, fields);
      record.meta = std::move(named.meta);
      records.checks.push_back(std::move(record));
      return true;
    }
    case KindId::Workload:
      add_workload(std::move(named), pods, fields, records);
      return true;
    case KindId::DaemonSet: {
      DaemonSetRecord record = decode_daemon_set(named.object, pods, fields);
      record.daemon_set.name_space = named.meta.key.name_space;
      record.daemon_set.name = std::move(named.name);
      record.meta = std::move(named.meta);
      if (fields.report().errors() == errors) records.daemon_sets.push_back(std::move(record));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace trellis
