// Answers /debug/topology: the requested rows of a tree, as objects, as columns or as a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/debug/cycle_view.h"
#include "server/debug/node_groups.h"
#include "server/document/document_writer.h"
#include "server/http/http_message.h"

namespace trellis {

// The domains or nodes below `parent`, on `level`.
struct TopologyRows {
  TopologyId topology;
  DomainId parent;                // the root: the whole topology
  std::vector<DomainId> domains;  // by id
  std::vector<NodeId> nodes;      // in the order of the topology; only at level `node`
  std::string level;              // label, "root", "node"; "" for rows of several levels
};

struct RowChoice {
  std::string level;                // as in the request; "": not given
  std::vector<std::string> parent;  // as in the request; empty: not given
};

// `error` names the level or domain that does not exist.
TopologyRows choose_rows(const CycleView& view, TopologyId topology, const RowChoice& choice,
                         std::string& error);

HttpResponse answer_topologies(CycleView& view, const HttpRequest& request);
HttpResponse answer_topology(CycleView& view, const HttpRequest& request);

// Writes rows of domains or nodes as columns of numbers, for large numbers of rows.

// Writes "level", "parents", "parent", "names", "nodeCounts", "closed", "available", "allocated",
// "allocatablePods" and what write_groups() writes into the open object.
void write_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                   std::span<const PendingClass> pending, GroupBy by);

// "names", "closed", "available", "allocated", and what write_groups() writes.
void write_node_columns(DocumentWriter& out, const CycleView& view, std::span<const NodeId> nodes,
                        GroupBy by);

// Writes an amount in CPUs, bytes, devices or counts.
void write_amount(DocumentWriter& out, const ResourceTable& resources, ResourceId resource,
                  int64_t amount);

}  // namespace trellis
