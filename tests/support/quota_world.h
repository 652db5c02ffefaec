// ClusterQueues, flavors and workloads made by hand, and the rules of the plugin `quota` over them.
// Amounts are of cpu, of one flavor "main" where no other is named.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/flavor.h"
#include "framework/plugin.h"
#include "framework/quota_arithmetic.h"
#include "framework/quota_rules.h"
#include "framework/quota_tree.h"
#include "framework/vocabulary.h"
#include "framework/workload.h"
#include "plugins/quota/quota_plugin.h"

namespace trellis {

struct GivenQuota {
  std::string flavor = "main";
  int64_t nominal = 0;
  std::optional<int64_t> borrowing = {};
  std::optional<int64_t> lending = {};
};

struct WorkloadArgs {
  int32_t priority = 0;
  TimeUs queued = 0;
  TimeUs reserved_at = 0;
};

class QuotaWorld {
 public:
  Vocabulary names;
  Config config;
  IndexedVector<ClusterQueueId, ClusterQueue> queues;
  IndexedVector<CohortId, Cohort> cohorts;
  IndexedVector<FlavorId, Flavor> flavors;
  IndexedVector<WorkloadId, Workload> workloads;
  IndexedVector<WorkloadId, QuotaHolding> holdings;
  QuotaTree tree;
  std::vector<int64_t> usage;

  StrId id(const std::string& name) { return name.empty() ? StrId() : names.strings.intern(name); }

  FlavorId flavor(const std::string& name, Labels labels = {}, std::vector<Taint> taints = {}) {
    Flavor flavor{name, std::move(labels), std::move(taints), {}, {}};
    id(name);
    return flavors.push_back(flavor);
  }
  ClusterQueueId queue(const std::string& name, const std::string& cohort,
                       const std::vector<GivenQuota>& quotas) {
    ClusterQueue queue;
    queue.name = name;
    queue.cohort = id(cohort);
    queue.groups = {group(quotas)};
    return queues.push_back(queue);
  }
  void cohort(const std::string& name, const std::string& parent,
              const std::vector<GivenQuota>& quotas = {}) {
    Cohort cohort;
    cohort.name = name;
    cohort.parent = id(parent);
    if (!quotas.empty()) cohort.groups = {group(quotas)};
    cohorts.push_back(cohort);
  }
  // After the last queue and cohort, before the first workload.
  void build() {
    tree = QuotaTree(queues, cohorts, names.strings);
    usage.assign(tree.node_count() * tree.cell_count(), 0);
  }

  WorkloadId waiting(const std::string& name, const WorkloadArgs& args = {}) {
    Workload workload;
    workload.name_space = id("default");
    workload.name = workload.uid = name;
    workload.priority = args.priority;
    workload.queued = args.queued;
    holdings.push_back({});
    return workloads.push_back(workload);
  }
  WorkloadId running(const std::string& name, ClusterQueueId queue, int64_t amount,
                     const WorkloadArgs& args = {}) {
    WorkloadId workload = waiting(name, args);
    workloads[workload].admission.emplace();
    holdings[workload] = {queue, 1, {{cell("main"), amount}}, args.reserved_at};
    hold(workload, 1);
    return workload;
  }
  // The workload leaves (-1) or comes back (1).
  void hold(WorkloadId workload, int64_t times) {
    QuotaHolding& holding = holdings[workload];
    holding.held = times > 0 ? 1 : 0;
    for (const QuotaAmount& amount : holding.amounts) {
      use(holding.queue, amount.cell, times * amount.amount);
    }
  }
  void use(ClusterQueueId queue, QuotaCellId cell, int64_t amount) {
    add_usage(tree, usage, tree.node(queue), cell, amount,
              [](int64_t& place, int64_t value) { place = value; });
  }
  QuotaCellId cell(const std::string& flavor) { return tree.cell(id(flavor), kCpu); }

  // The rules of a new session.
  const QuotaRules& rules() {
    view_ = {};
    view_.config = &config;
    view_.vocabulary = &names;
    view_.quota_tree = &tree;
    view_.quota_usage = &usage;
    view_.cluster_queues = &queues;
    view_.flavors = &flavors;
    view_.workloads = &workloads;
    view_.quota_holdings = &holdings;
    hooks_ = Hooks();
    plugin_.open(view_, hooks_);
    return *hooks_.quota_rules;
  }

 private:
  ResourceGroup group(const std::vector<GivenQuota>& quotas) {
    ResourceGroup group{{kCpu}, {}};
    for (const GivenQuota& quota : quotas) {
      group.flavors.push_back(
          {id(quota.flavor), {{kCpu, quota.nominal, quota.borrowing, quota.lending}}});
    }
    return group;
  }

  View view_;
  Hooks hooks_;
  QuotaPlugin plugin_;
};

}  // namespace trellis
