#include "topology/segment_division.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace trellis {
namespace {

class LayerDivision {
 public:
  LayerDivision(const SegmentDemand& demand, size_t layer)
      : demand_(demand), tree_(*demand.query.tree), layer_(layer) {}

  // Replaces a part by parts of the layer's level; false when it does not take its pods in
  // segments.
  bool divide_part(const DomainPart& part, DomainParts& finer) const {
    int64_t rest = part.pods % size();
    int64_t whole = part.pods - rest;
    if (takes_whole(part.domain, layer_) < whole) return false;
    DomainParts chosen = spread_whole(part.domain, whole);
    if (rest > 0 && !add_rest(part.domain, whole, rest, chosen)) return false;
    finer.insert(finer.end(), chosen.begin(), chosen.end());
    return true;
  }

 private:
  int64_t size() const { return demand_.layers[layer_].size; }
  int level() const { return demand_.layers[layer_].level; }
  int64_t plain(DomainId domain) const { return (*demand_.query.rows.front().counts)[domain]; }

  // Pods in whole segments of the layer below the domain, not rounded to the domain's own layer.
  int64_t takes_whole(DomainId domain, size_t layer) const {
    if (tree_.level_of(domain) >= demand_.layers[layer].level) return plain(domain);
    int64_t sum = 0;
    for (int64_t count : demand_.whole->counts(tree_.children(domain))) sum += count;
    return sum;
  }

  DomainParts spread_whole(DomainId domain, int64_t pods) const {
    if (pods == 0) return {};
    RowDemand row{demand_.whole, pods};
    DomainQuery query = demand_.query;
    query.rows = {&row, 1};
    if (query.even_unit > 0) query.even_unit = size();
    return divide(query, domain, level());
  }

  // Whether the domain takes `rest` pods beside `taken` of its whole segments.
  bool takes_rest(DomainId domain, int64_t taken, int64_t rest) const {
    if (plain(domain) - taken < rest) return false;
    if (layer_ + 1 == demand_.layers.size()) return true;
    int64_t finer_whole = rest - rest % demand_.layers[layer_ + 1].size;
    return takes_whole(domain, layer_ + 1) - taken >= finer_whole;
  }

  // Puts the rest in a domain that is used anyway, else where one more segment would fit, else in
  // another domain.
  bool add_rest(DomainId domain, int64_t whole, int64_t rest, DomainParts& chosen) const {
    if (join_used(rest, chosen)) return true;
    std::optional<DomainPart> another = another_domain(domain, rest, chosen);
    if (takes_whole(domain, layer_) >= whole + size()) {
      DomainParts larger = spread_whole(domain, whole + size());
      if (!another || larger.size() <= chosen.size() + 1) {
        chosen = std::move(larger);
        chosen.back().pods -= size() - rest;
        return true;
      }
    }
    if (!another) return false;
    chosen.push_back(*another);
    return true;
  }

  // Adds the rest to the tightest of the parts that takes it too; that part then comes last.
  bool join_used(int64_t rest, DomainParts& chosen) const {
    auto best = chosen.end();
    for (auto part = chosen.begin(); part != chosen.end(); ++part) {
      if (!takes_rest(part->domain, part->pods, rest)) continue;
      bool tighter = best == chosen.end() ||
                     plain(part->domain) - part->pods < plain(best->domain) - best->pods;
      if (tighter) best = part;
    }
    if (best == chosen.end()) return false;
    best->pods += rest;
    std::rotate(best, best + 1, chosen.end());
    return true;
  }

  // Nearest to the first part, then tightest.
  std::optional<DomainPart> another_domain(DomainId domain, int64_t rest,
                                           const DomainParts& chosen) const {
    std::optional<DomainPart> best;
    int best_distance = 0;
    IdRange range = tree_.descendants(domain, level());
    for (uint32_t id = range.first; id < range.last; ++id) {
      DomainId at(id);
      bool used = std::any_of(chosen.begin(), chosen.end(),
                              [&](const DomainPart& part) { return part.domain == at; });
      if (used || !takes_rest(at, 0, rest)) continue;
      int distance = chosen.empty() ? 0 : tree_.distance(chosen.front().domain, at);
      bool better = !best || distance < best_distance ||
                    (distance == best_distance && plain(at) < best->count);
      if (!better) continue;
      best = DomainPart{at, false, plain(at), rest};
      best_distance = distance;
    }
    return best;
  }

  const SegmentDemand& demand_;
  const TopologyTree& tree_;
  size_t layer_;
};

}  // namespace

DomainParts divide_segments(const SegmentDemand& demand, DomainId domain) {
  const RowDemand& row = demand.query.rows.front();
  DomainParts parts{{domain, false, (*row.counts)[domain], row.pods}};
  for (size_t layer = 0; layer < demand.layers.size(); ++layer) {
    if (demand.query.tree->level_of(domain) >= demand.layers[layer].level) continue;
    LayerDivision division(demand, layer);
    DomainParts finer;
    for (const DomainPart& part : parts) {
      if (division.divide_part(part, finer)) continue;
      parts.clear();
      return parts;
    }
    parts = std::move(finer);
  }
  return parts;
}

}  // namespace trellis
