#include "tests/plugins/proportion/division_model.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

namespace trellis::oracle {
namespace {

__extension__ using Wide = __int128;

struct Claim {
  std::string name;
  int priority = 0;
  int64_t created = 0;
  int64_t deserved = 0;
  int64_t requestable = 0;
  int64_t weight = 0;
  int64_t usage = 0;
  int64_t share = 0;

  int64_t rest() const { return requestable - share; }
};

class Level {
 public:
  Level(std::vector<Claim> claims, int64_t total, int64_t unit, int64_t pull_percent)
      : claims_(std::move(claims)), left_(total), unit_(unit), pull_percent_(pull_percent) {
    std::sort(claims_.begin(), claims_.end(), [](const Claim& a, const Claim& b) {
      return std::tie(a.created, a.name) < std::tie(b.created, b.name);
    });
    for (Claim& claim : claims_) {
      int64_t deserved = claim.deserved == -1 ? total : claim.deserved;
      give(claim, std::min(deserved, claim.requestable));
    }
    std::set<int, std::greater<>> priorities;
    for (const Claim& claim : claims_) priorities.insert(claim.priority);
    for (int priority : priorities) {
      while (left_ > 0 && round(priority)) {
      }
    }
  }

  const std::vector<Claim>& claims() const { return claims_; }

 private:
  void give(Claim& claim, int64_t amount) {
    claim.share += amount;
    left_ -= amount;
  }

  // Weights as whole numbers with a common denominator.
  Wide weight(const Claim& claim, int64_t weights, int64_t usages) const {
    if (usages == 0) return claim.weight;
    Wide own = Wide{claim.weight} * usages;
    Wide moved = own * 100 + Wide{pull_percent_} * (own - Wide{claim.usage} * weights);
    return std::max<Wide>(0, moved);
  }

  bool round(int priority) {
    std::vector<Claim*> open;
    int64_t weights = 0, usages = 0;
    for (Claim& claim : claims_) {
      if (claim.priority != priority || claim.rest() <= 0 || claim.weight <= 0) continue;
      open.push_back(&claim);
      weights += claim.weight;
      usages += claim.usage;
    }
    std::map<Claim*, Wide> own;
    Wide all = 0;
    for (Claim* claim : open) all += own[claim] = weight(*claim, weights, usages);
    std::erase_if(open, [&](Claim* claim) { return own[claim] == 0; });
    if (open.empty()) return false;
    int64_t amount = left_;
    bool satisfied = false;
    std::map<Claim*, Wide> fraction;
    for (Claim* claim : open) {
      Wide part = Wide{amount} * own[claim];  // over `all`
      if (Wide{claim->rest()} * all <= part) {
        give(*claim, claim->rest());
        satisfied = true;
        continue;
      }
      Wide units = part / (all * unit_);
      fraction[claim] = part - units * all * unit_;
      give(*claim, static_cast<int64_t>(units) * unit_);
    }
    if (satisfied) return true;
    std::stable_sort(open.begin(), open.end(),
                     [&](Claim* a, Claim* b) { return fraction[a] > fraction[b]; });
    for (Claim* claim : open) give(*claim, std::min({unit_, left_, claim->rest()}));
    return true;
  }

  std::vector<Claim> claims_;
  int64_t left_;
  int64_t unit_;
  int64_t pull_percent_;
};

class Descent {
 public:
  explicit Descent(const ModelTree& tree) : tree_(tree) {}

  void divide(const std::string& parent, const std::string& resource, int64_t total) {
    std::vector<Claim> claims;
    for (const auto& [name, queue] : tree_.queues) {
      if (queue.parent != parent) continue;
      const ModelShare& share = queue.resources.at(resource);
      int64_t request = request_of(name, resource);
      int64_t requestable = share.limit == -1 ? request : std::min(share.limit, request);
      int64_t usage = resource == "gpu" ? usage_of(name) : 0;
      claims.push_back({name, queue.priority, queue.created, share.quota, requestable,
                        std::max<int64_t>(0, share.weight), usage, 0});
    }
    int64_t unit = resource == "gpu" ? 1000 : 1;
    Level level(claims, total, unit, tree_.pull_percent);
    for (const Claim& claim : level.claims()) {
      shares[claim.name][resource] = claim.share;
      divide(claim.name, resource, claim.share);
    }
  }

  std::map<std::string, std::map<std::string, int64_t>> shares;

 private:
  int64_t request_of(const std::string& name, const std::string& resource) const {
    int64_t sum = tree_.queues.at(name).resources.at(resource).request;
    for (const auto& [child, queue] : tree_.queues) {
      if (queue.parent == name) sum += request_of(child, resource);
    }
    return sum;
  }
  int64_t usage_of(const std::string& name) const {
    int64_t sum = tree_.queues.at(name).usage;
    for (const auto& [child, queue] : tree_.queues) {
      if (queue.parent == name) sum += usage_of(child);
    }
    return sum;
  }

  const ModelTree& tree_;
};

}  // namespace

std::map<std::string, std::map<std::string, int64_t>> ModelTree::divide() const {
  Descent descent(*this);
  for (const auto& [resource, amount] : capacity) descent.divide("", resource, amount);
  return descent.shares;
}

std::string ModelTree::text() const {
  std::ostringstream out;
  out << "pull " << pull_percent << '\n';
  for (const auto& [resource, amount] : capacity) out << resource << ' ' << amount << '\n';
  for (const auto& [name, queue] : queues) {
    out << name << " below '" << queue.parent << "' priority " << queue.priority << " created "
        << queue.created << " usage " << queue.usage;
    for (const auto& [resource, share] : queue.resources) {
      out << "; " << resource << " quota " << share.quota << " limit " << share.limit << " weight "
          << share.weight << " request " << share.request;
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace trellis::oracle
