// Phase 1 of Kueue's placement: how much of a request every domain takes, alone and beside its
// leader.
//
// Cost: without leader, affinity, inner layers and `within` the pods are those of DomainCounts
// itself, and only the domains of the segments' level and above are examined; none at all without
// segments. Otherwise one pass over the domains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "topology/kueue_request.h"
#include "topology/tree.h"

namespace trellis {

// A domain and what it takes. `segments` are of the outermost layer: 0 below that layer's level.
struct KueueCandidate {
  DomainId domain;
  int64_t leaders = 0;
  int64_t affinity = 0;
  int64_t pods = 0;
  int64_t segments = 0;
  int64_t pods_beside = 0;
  int64_t segments_beside = 0;
};

// The segments of a request by level.
struct KueueSegments {
  int64_t size = 1;
  int level = 0;
  std::vector<int64_t> inner;  // by level: its domains are filled in multiples of it; 0: of one pod

  void set(const KueueRequest& request, int level_count);
  // The multiple of pods in which a domain of `level` is divided among its children.
  int64_t unit_below(int level) const;
};

class KueueCounts {
 public:
  KueueCounts() = default;
  KueueCounts(const KueueCounts&) = delete;
  KueueCounts& operator=(const KueueCounts&) = delete;

  // `leaves` must outlive the use of the counts.
  void fill(const TopologyTree& tree, const KueueRequest& request, const KueueLeaves& leaves);

  const KueueSegments& segments() const { return segments_of_; }
  // Whether segments are single pods and nothing but pods counts.
  bool plain() const { return plain_; }
  KueueCandidate operator[](DomainId domain) const;

  // For a trial: copies the counts of `other` below `parent`, to be changed and summed again. Inner
  // layers are left out, as Kueue does.
  void copy_below(const TopologyTree& tree, const KueueCounts& other, DomainId parent);
  void clear(const TopologyTree& tree, DomainId domain);  // it and all below it take nothing
  void clear_leaders(const TopologyTree& tree, DomainId domain);
  void sum_again(const TopologyTree& tree, DomainId domain);

 private:
  void borrow(const TopologyTree& tree, const DomainCounts& pods);
  void keep(size_t domains, bool leaders, bool affinity);
  void fill_leaves(const TopologyTree& tree, const KueueLeaves& leaves);
  void sum(const TopologyTree& tree, IdRange domains, int level);
  void sum_segments(const TopologyTree& tree, int level);
  void sum_leaders(IdRange children, int64_t unit, DomainId domain);

  KueueSegments segments_of_;
  bool plain_ = false;
  bool has_leader_ = false;
  bool has_affinity_ = false;

  // By domain. The counts in use: those of DomainCounts or the columns below.
  const int64_t* pods_ = nullptr;
  const int64_t* segments_ = nullptr;
  const int64_t* pods_beside_ = nullptr;
  const int64_t* segments_beside_ = nullptr;
  uint32_t first_with_segments_ = 0;  // domains before it, on deeper levels, have none

  std::vector<int64_t> own_pods_;
  std::vector<int64_t> own_segments_;
  std::vector<int64_t> own_pods_beside_;
  std::vector<int64_t> own_segments_beside_;
  std::vector<int64_t> affinity_;
  std::vector<uint8_t> leaders_;
};

}  // namespace trellis
