// The topologies as a document, for programs to read.
#pragma once

#include <vector>

#include "framework/resources.h"
#include "server/document/document_writer.h"
#include "session/explain/topology_report.h"

namespace trellis {

// Writes and finishes the document.
void write_topologies(DocumentWriter& out, const ResourceTable& resources,
                      const std::vector<TopologyReport>& topologies);

void write_domain(DocumentWriter& out, const ResourceTable& resources, const DomainReport& domain);

// {"cpu":"4","memory":"8Gi"}, by name.
void write_resources(DocumentWriter& out, const ResourceTable& resources, const ResourceList& list);

}  // namespace trellis
