#include "session/placement/node_filling.h"

#include <algorithm>

#include "session/placement/leaf_columns.h"

namespace trellis {
namespace {

struct NodeRoom {
  NodeId node;
  int32_t fit = 0;
  int64_t loss = 0;
};

class NodeFilling {
 public:
  NodeFilling(PlacementContext& context, const FillRequest& request, std::vector<SlotFill>& fills)
      : context_(context), request_(request), fills_(fills), left_(request.pods) {}

  int32_t run(std::span<const NodeId> nodes) {
    for (NodeId node : nodes) {
      int32_t fit = context_.fits().node_fit(node, request_.pod_class, request_.mode);
      if (fit > 0) rooms_.push_back({node, fit, loss_on(node)});
    }
    // The given nodes are in order of path and name.
    std::stable_sort(rooms_.begin(), rooms_.end(), [](const NodeRoom& a, const NodeRoom& b) {
      if (a.loss != b.loss) return a.loss < b.loss;
      return a.fit > b.fit;
    });
    if (context_.fits().exact(request_.pod_class)) {
      fill_by_count();
    } else {
      fill_one_by_one();
    }
    return request_.pods - left_;
  }

 private:
  int64_t loss_on(NodeId node) {
    if (!request_.beside.valid()) return 0;
    int32_t alone = context_.fits().node_fit(node, request_.beside, request_.mode);
    return alone - fit_beside(context_, node, {request_.beside, request_.pod_class, request_.mode});
  }

  void fill_by_count() {
    for (size_t i = 0; i < rooms_.size() && left_ > 0; ++i) {
      if (rooms_[i].fit < left_) {
        take(rooms_[i].node, rooms_[i].fit);
        continue;
      }
      auto last = std::min_element(
          rooms_.begin() + static_cast<std::ptrdiff_t>(i), rooms_.end(),
          [&](const NodeRoom& a, const NodeRoom& b) { return waste(a) < waste(b); });
      take(last->node, left_);
    }
  }

  int64_t waste(const NodeRoom& room) const {
    int64_t spare = int64_t{room.fit} - left_;
    return (room.loss << 32) + (spare < 0 ? INT32_MAX : spare);
  }

  void fill_one_by_one() {
    bool placed = true;
    while (placed && left_ > 0) {
      placed = false;
      for (NodeRoom& room : rooms_) {
        while (left_ > 0 && room.fit > 0 && passes(room.node)) {
          take(room.node, 1);
          --room.fit;
          placed = true;
        }
      }
    }
  }

  bool passes(NodeId node) const {
    return context_.fits().link_verdict(request_.pod_class, request_.mode, node).passes();
  }

  void take(NodeId node, int32_t pods) {
    context_.statement().take_slots(request_.pod_class, node, pods, request_.mode);
    left_ -= pods;
    bool same = !fills_.empty() && fills_.back().node == node &&
                fills_.back().pod_class == request_.pod_class;
    if (same) {
      fills_.back().count += pods;
    } else {
      fills_.push_back({request_.pod_class, node, pods});
    }
  }

  PlacementContext& context_;
  const FillRequest& request_;
  std::vector<SlotFill>& fills_;
  std::vector<NodeRoom> rooms_;
  int32_t left_;
};

}  // namespace

int32_t fill_nodes_with(PlacementContext& context, const FillRequest& request,
                        std::span<const NodeId> nodes, std::vector<SlotFill>& fills) {
  return NodeFilling(context, request, fills).run(nodes);
}

}  // namespace trellis
