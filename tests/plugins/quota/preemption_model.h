// Who leaves for whom, straight from the text: names, recursion, everything computed again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/quota_rules.h"
#include "tests/framework/quota_model.h"

namespace trellis {

class PreemptionModel {
 public:
  using Amounts = std::map<std::string, int64_t>;  // by cell

  struct Workload {
    std::string queue;  // node of the tree
    int32_t priority = 0;
    int64_t queued = 0;
    int64_t reserved_at = 0;
    Amounts amounts;
  };
  struct Request {
    std::string workload;
    std::string queue;
    Amounts amounts;
    std::set<std::string> contested;
  };
  struct Attempt {
    bool borrowing = false;
    std::vector<std::pair<std::string, PreemptionCause>> in_order;
    std::set<std::string> others;
    bool operator==(const Attempt&) const = default;
  };

  QuotaModel tree;
  std::map<std::string, Workload> waiting;
  std::map<std::string, Workload> running;
  std::map<std::string, WorkloadPreemption> policies;  // by queue
  bool fair = false;
  std::vector<std::string> strategies;

  std::vector<Attempt> attempts(const Request& request);
  // As a flavor of one cell stands.
  std::pair<FlavorMode, int> grade(const std::string& workload, const std::string& queue,
                                   const std::string& cell, int64_t amount);
  // Which of the requests goes first with shares.
  std::string first(const std::vector<Request>& requests);

 private:
  enum class Kind { Hierarchical, WithoutBorrowing, WhileBorrowing, Own, Entitled, ByShare };
  using Kinds = std::map<std::string, Kind>;  // by workload

  void hold(const std::string& queue, const Amounts& amounts, int64_t times);
  void leave(const std::string& workload) { hold_of(workload, -1); }
  void come_back(const std::string& workload) { hold_of(workload, 1); }
  void hold_of(const std::string& workload, int64_t times);
  std::string parent(const std::string& node) const { return tree.nodes.at(node).parent; }
  std::vector<std::string> way_up(const std::string& node) const;  // itself first
  std::pair<std::string, std::string> below_common(const std::string& a,
                                                   const std::string& b) const;
  bool same_root(const std::string& a, const std::string& b) const;
  bool within(const std::string& node, const std::set<std::string>& cells) const;
  bool fits(const Request& request, bool borrowing) const;
  bool covered_below(const Request& request, const std::string& last) const;
  bool borrows_up_to(const Request& request, const std::string& queue) const;
  bool yields(const Request& request, const std::string& candidate) const;
  Kind kind_of(const Request& request, const std::string& candidate);
  Kinds candidates(const Request& request);
  std::vector<std::string> sorted(const Kinds& kinds) const;
  std::vector<bool> ways(const Request& request, const Kinds& kinds) const;
  // Until the request fits (`stop`), or to the end; those who leave are gone.
  std::vector<std::string> sequence(const Request& request, const Kinds& kinds, bool borrowing,
                                    bool stop);
  std::vector<std::string> fair_sequence(const Request& request, const Kinds& kinds, bool stop);
  bool may_lose(const Request& request, const std::string& candidate, const std::string& strategy);
  int share_order(const std::string& a, const std::string& b) const;
  std::string target(const Request& request, const std::string& cohort,
                     const std::vector<std::string>& rest, std::set<std::string>& pruned) const;
  std::string winner(const std::string& node, const std::vector<Request>& requests);
};

}  // namespace trellis
