// Queues: as a document, as a table, and one of them explained.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/explain/queue_report.h"
#include "session/record/record.h"

namespace trellis {

enum class QueueDetail : uint8_t { Shares, WithGangs };  // WithGangs: how many, and how many wait

// The members of an object that describes a queue; the caller begins and ends it.
void write_queue(DocumentWriter& out, const Cluster& cluster, const QueueLine& line,
                 QueueDetail detail);

// "queues":[...], inside an object that is open.
void write_queues(DocumentWriter& out, const Cluster& cluster, std::span<const QueueLine> lines,
                  QueueDetail detail);

// A row a resource, queues indented by depth.
std::string queues_table(const Cluster& cluster, std::span<const QueueLine> lines, Colours colours);

// Why it holds more or less than its fair share, a sentence a resource.
std::vector<std::string> queue_reasons(const Cluster& cluster, const QueueLine& line);

// `lines`: of all queues; `record`: of the cycle at whose end the session stands.
void write_queue_explanation(DocumentWriter& out, const Session& session, const CycleRecord& record,
                             const QueueLine& line);
std::string queue_explanation_text(const Session& session, const CycleRecord& record,
                                   const QueueLine& line, Colours colours);

}  // namespace trellis
