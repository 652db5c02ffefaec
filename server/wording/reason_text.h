// Writes reasons as sentences and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/reason.h"
#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/explain/pod_explanation.h"

namespace trellis {

// The number of nodes by verdict: `0/1200 nodes: 900 insufficient nvidia.com/gpu, 300 outside rack
// b1/r7`. Names are not escaped: the caller calls printable() for the whole text.
std::string nodes_text(const Cluster& cluster, const Reason& reason);

// `needs 4 pods, 2 fit; 0/1200 nodes: 900 insufficient nvidia.com/gpu, 300 outside rack b1/r7`
std::string reason_text(const Cluster& cluster, const Reason& reason);

// `insufficient nvidia.com/gpu: 2 short`
std::string reason_text(const Cluster& cluster, const NodeReason& reason);

// A sentence of framework/reason_catalog.h with its subject inserted.
std::string filled(std::string_view sentence, std::string_view subject);

// {"code","plugin","message","details":{...}}
void write_reason(DocumentWriter& out, const Cluster& cluster, const Reason& reason);
void write_reason(DocumentWriter& out, const Cluster& cluster, const NodeReason& reason);

// "reasons":[...] in the open object.
void write_reasons(DocumentWriter& out, const Cluster& cluster, std::span<const Reason> reasons);

// `QueueNotFound: queue "q" does not exist`: a line for each reason.
std::string reason_lines(const Cluster& cluster, std::span<const Reason> reasons);
// In one line, separated by `; `.
std::string reasons_text(const Cluster& cluster, std::span<const Reason> reasons);

// The part of a level's label behind the last slash: `rack` of `example.com/rack`.
std::string_view short_level(std::string_view label);

std::string path_text(const std::vector<std::string>& path);  // b1/r7

// About nodes that take fewer pods than their resources allow: `2 would take more but for their
// NUMA zones`, and the member "limited" of the open object.
std::string limit_text(const VerdictCount& limit);
void write_limit(DocumentWriter& out, const VerdictCount& limit);

}  // namespace trellis
