// Shows queues: as a document, as a table, and one of them explained.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/explain/queue_report.h"
#include "session/record/record.h"

namespace trellis {

// WithGangs: also the number of gangs, and of waiting gangs.
enum class QueueDetail : uint8_t { Shares, WithGangs };

// Writes the members of an object that describes a queue; the caller begins and ends the object.
void write_queue(DocumentWriter& out, const Cluster& cluster, const QueueReport& line,
                 QueueDetail detail);

// Writes "queues":[...] into the open object.
void write_queues(DocumentWriter& out, const Cluster& cluster, std::span<const QueueReport> lines,
                  QueueDetail detail);

// One row for each resource, queues indented by depth.
std::string queues_table(const Cluster& cluster, std::span<const QueueReport> lines,
                         TableForm form);

// Why the queue holds more or less than its fair share, one sentence for each resource.
std::vector<std::string> queue_reasons(const Cluster& cluster, const QueueReport& line);

// REQUIRES: `session` is as the cycle of `record` left it.
void write_queue_explanation(DocumentWriter& out, const Session& session, const CycleRecord& record,
                             const QueueReport& line);
std::string queue_explanation_text(const Session& session, const CycleRecord& record,
                                   const QueueReport& line, TableForm form);

}  // namespace trellis
