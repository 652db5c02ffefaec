// Shows ClusterQueues and Cohorts: as a document, as a table, and one of them explained.
#pragma once

#include <span>
#include <string>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/explain/cluster_queue_report.h"
#include "session/record/record.h"

namespace trellis {

// Writes "clusterQueues":[...] and "cohorts":[...] into the open object; nothing when there are
// none.
void write_cluster_queues(DocumentWriter& out, const Cluster& cluster,
                          std::span<const ClusterQueueReport> lines);

// One row for each amount, indented by depth; "" when there are no ClusterQueues and Cohorts.
std::string cluster_queues_table(const Cluster& cluster, std::span<const ClusterQueueReport> lines,
                                 TableForm form);

// Writes one of them with the workloads that wait in it, and finishes the document.
void write_cluster_queue_explanation(DocumentWriter& out, const Cluster& cluster,
                                     const CycleRecord& record, const ClusterQueueReport& line);
std::string cluster_queue_explanation_text(const Cluster& cluster, const CycleRecord& record,
                                           const ClusterQueueReport& line, TableForm form);

}  // namespace trellis
