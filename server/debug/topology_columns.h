// Writes rows of domains or nodes as columns of numbers, for large numbers of rows.
#pragma once

#include <span>

#include "server/debug/cycle_view.h"
#include "server/debug/topology_answer.h"
#include "server/document/document_writer.h"

namespace trellis {

// Writes "level", "parents", "parent", "names", "nodeCounts", "closed", "available", "allocated"
// and "allocatablePods" into the open object.
void write_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                   std::span<const PendingClass> pending);

// "names", "closed", "available", "allocated".
void write_node_columns(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes);

// Writes an amount in CPUs, bytes, devices or counts.
void write_amount(DocumentWriter& out, const ResourceTable& resources, ResourceId resource,
                  int64_t amount);

}  // namespace trellis
