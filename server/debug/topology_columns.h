// Rows of domains or nodes as columns of numbers, for many of them.
#pragma once

#include <span>

#include "server/debug/cycle_view.h"
#include "server/debug/topology_answer.h"
#include "server/document/document_writer.h"

namespace trellis {

// "level", "parents", "parent", "names", "nodeCounts", "closed", "available", "allocated",
// "allocatablePods": members of an object that is open.
void write_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                   std::span<const PendingClass> pending);

// "names", "closed", "available", "allocated".
void write_node_columns(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes);

// CPUs, bytes, devices, counts.
void write_amount(DocumentWriter& out, const ResourceTable& resources, ResourceId resource,
                  int64_t amount);

}  // namespace trellis
