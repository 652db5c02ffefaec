// Reads text as a file would be read, and shows what came out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"

namespace trellis::test {

// A manifest with the vocabulary that its ids belong to.
struct Reading {
  std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();
  Manifest manifest;

  // "" where there is none.
  std::string text(Maybe<StrId> id) const;
  const Node* node(std::string_view name) const;
  const PodObject* pod(std::string_view name) const;  // of any namespace
  const Gang* gang(std::string_view name) const;      // of any namespace
  const Queue* queue(std::string_view name) const;
  const Topology* topology(std::string_view name) const;
  const Flavor* flavor(std::string_view name) const;
  const ClusterQueue* cluster_queue(std::string_view name) const;
  const Cohort* cohort(std::string_view name) const;
  const Workload* workload(std::string_view name) const;  // of any namespace
  int64_t request(std::string_view pod, std::string_view resource) const;
  std::vector<std::string> pod_names() const;
  std::vector<std::string> gang_names() const;
  // The gang of a pod, as "namespace/name".
  std::string gang_of(std::string_view pod) const;
  std::vector<std::string> diagnostics() const;  // as they are printed
  std::vector<ReasonCode> reasons(std::string_view gang) const;
};

Reading read(std::string_view text, std::string_view file = "in.yaml",
             const ReadOptions& options = {});
Reading read_paths(const std::vector<std::string>& paths, const ReadOptions& options = {});

// name(parent min=N ...), what is not the default
std::string show(const Reading& reading, const Subgroup& subgroup);
// " segments=SIZE:REQUIRED,PREFERRED" for each layer
std::string show(const Reading& reading, const std::vector<SegmentLayer>& layers);

// Of Kueue's objects and DaemonSets, as text without ids.
std::string dump_kueue(const Reading& reading);
std::string show(const Reading& reading, const Workload& workload);

// Everything that was read, as text without ids.
std::string dump(const Reading& reading);

}  // namespace trellis::test
