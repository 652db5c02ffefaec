// The nodes that changed, in order: a reader that keeps something per node remembers how far it has
// read.
//
// Positions only grow. Entries may repeat a node. Old entries are dropped when the log grows past a
// few times the number of nodes; a reader that is that far behind starts again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/ids.h"

namespace trellis {

class ChangeLog {
 public:
  void touch(NodeId node) { entries_.push_back(node); }
  uint64_t end() const { return first_ + entries_.size(); }

  // The entries since `position`; nullopt when some of them were dropped.
  std::optional<std::span<const NodeId>> since(uint64_t position) const {
    if (position < first_) return std::nullopt;
    return std::span<const NodeId>(entries_).subspan(position - first_);
  }

  void trim(size_t most) {
    if (entries_.size() <= most) return;
    size_t dropped = entries_.size() - most / 2;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(dropped));
    first_ += dropped;
  }

  // Marks everything as changed: earlier positions are too far behind.
  void restart() {
    first_ = end() + 1;
    entries_.clear();
  }

 private:
  std::vector<NodeId> entries_;
  uint64_t first_ = 0;
};

}  // namespace trellis
