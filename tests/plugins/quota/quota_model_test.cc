// The plugin against the naive model, on random cohort trees and workloads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/plugins/quota/preemption_model.h"
#include "tests/support/long_run.h"
#include "tests/support/quota_world.h"
#include "tests/support/random.h"

namespace trellis::quota_model_test {
namespace {

const std::vector<std::string> kFlavors = {"main", "spare"};

class RandomContest {
 public:
  explicit RandomContest(uint64_t seed) : random_(seed) {
    for (const std::string& flavor : kFlavors) world_.flavor(flavor);
    model_.fair = random_.chance(50);
    if (model_.fair) choose_strategies();
    add_cohorts();
    add_queues();
    world_.build();
    int running = static_cast<int>(random_.between(0, 12));
    for (int i = 0; i < running; ++i) add_running("r" + std::to_string(i));
    int waiting = static_cast<int>(random_.between(1, 5));
    for (int i = 0; i < waiting; ++i) add_waiting("w" + std::to_string(i));
  }

  void check() {
    rules_ = &world_.rules();
    for (size_t i = 0; i < requests_.size(); ++i) {
      check_grade(i);
      check_attempts(i);
    }
    if (model_.fair) {
      size_t first = rules_->first(turns_);
      ASSERT_EQ(world_.workloads[turns_[first].workload].name, model_.first(requests_));
    }
  }

 private:
  void choose_strategies() {
    static const std::vector<std::vector<std::string>> kChoices = {
        {"LessThanOrEqualToFinalShare", "LessThanInitialShare"},
        {"LessThanOrEqualToFinalShare"},
        {"LessThanInitialShare"}};
    model_.strategies = random_.pick(kChoices);
    std::string text;
    for (const std::string& strategy : model_.strategies) {
      text += (text.empty() ? "" : ",") + strategy;
    }
    auto& arguments = world_.config.plugins["quota"].arguments;
    arguments = {{"fairSharing", "true"}, {"preemptionStrategies", text}};
  }

  std::optional<int64_t> maybe_limit() {
    if (random_.chance(70)) return std::nullopt;
    return random_.between(0, 6);
  }

  // Quotas for the world, given to the model too.
  std::vector<GivenQuota> quotas(QuotaModel::Node& node) {
    std::vector<GivenQuota> given;
    for (const std::string& flavor : kFlavors) {
      GivenQuota quota{flavor, random_.between(0, 8), {}, {}};
      if (!node.parent.empty()) quota.borrowing = maybe_limit();
      if (!node.parent.empty()) quota.lending = maybe_limit();
      node.quotas["cpu/" + flavor] = {quota.nominal, quota.borrowing, quota.lending};
      given.push_back(quota);
    }
    return given;
  }

  double weight() { return random_.chance(15) ? 0 : 1 + random_.below(3); }

  void add_cohorts() {
    for (int i = 0; i < 4; ++i) {
      std::string name = "c" + std::to_string(i);
      QuotaModel::Node& node = model_.tree.nodes["cohort " + name];
      std::string parent;
      if (i > 0 && random_.chance(80)) {
        parent = "c" + std::to_string(random_.below(static_cast<uint32_t>(i)));
        node.parent = "cohort " + parent;
      }
      node.weight = weight();
      world_.cohort(name, parent, random_.chance(50) ? quotas(node) : std::vector<GivenQuota>());
      world_.cohorts[CohortId(i)].weight = node.weight;
    }
  }

  void add_queues() {
    for (int i = 0; i < 4; ++i) {
      std::string name = "q" + std::to_string(i);
      QuotaModel::Node& node = model_.tree.nodes["queue " + name];
      std::string cohort =
          random_.chance(90) ? "c" + std::to_string(random_.below(4)) : std::string();
      if (!cohort.empty()) node.parent = "cohort " + cohort;
      node.is_queue = true;
      node.weight = weight();
      ClusterQueue& queue = world_.queues[world_.queue(name, cohort, quotas(node))];
      queue.weight = node.weight;
      queue.preemption.within_queue = static_cast<PreemptWithin>(random_.below(3));
      queue.preemption.within_cohort = static_cast<ReclaimWithin>(random_.below(3));
      if (queue.preemption.within_cohort != ReclaimWithin::Never && random_.chance(40)) {
        queue.preemption.borrows = true;
        if (random_.chance(50)) {
          queue.preemption.max_borrow_priority = static_cast<int32_t>(random_.below(4));
        }
      }
      model_.policies["queue " + name] = queue.preemption;
    }
  }

  WorkloadArgs some_args() {
    return {.priority = static_cast<int32_t>(random_.below(4)),
            .queued = random_.below(4),
            .reserved_at = random_.below(4)};
  }

  std::pair<PreemptionModel::Amounts, std::vector<QuotaAmount>> some_amounts(int64_t most) {
    std::pair<PreemptionModel::Amounts, std::vector<QuotaAmount>> found;
    for (const std::string& flavor : kFlavors) {
      if (random_.chance(40)) continue;
      int64_t amount = random_.between(1, most);
      found.first["cpu/" + flavor] = amount;
      found.second.push_back({world_.cell(flavor), amount});
    }
    return found;
  }

  void add_running(const std::string& name) {
    WorkloadArgs args = some_args();
    ClusterQueueId queue(random_.below(4));
    auto [by_name, amounts] = some_amounts(6);
    WorkloadId workload = world_.running(name, queue, 0, args);
    world_.holdings[workload].amounts = amounts;
    world_.hold(workload, 1);
    PreemptionModel::Workload& record = model_.running[name];
    record = {"queue " + world_.queues[queue].name, args.priority, args.queued, args.reserved_at,
              by_name};
    for (const auto& [cell, amount] : by_name) {
      model_.tree.nodes.at(record.queue).held[cell] += amount;
    }
  }

  void add_waiting(const std::string& name) {
    WorkloadArgs args = some_args();
    ClusterQueueId queue(random_.below(4));
    auto [by_name, amounts] = some_amounts(8);
    WorkloadId workload = world_.waiting(name, args);
    std::string node = "queue " + world_.queues[queue].name;
    model_.waiting[name] = {node, args.priority, args.queued, 0, {}};
    amounts_.push_back(amounts);
    contested_.emplace_back();
    PreemptionModel::Request request{name, node, by_name, {}};
    for (const auto& [cell, amount] : by_name) {
      if (random_.chance(40)) continue;
      request.contested.insert(cell);
      contested_.back().push_back(world_.cell(cell.substr(4)));
    }
    requests_.push_back(request);
    turns_.push_back({workload, queue, 0, amounts_.back(), contested_.back()});
  }

  void check_grade(size_t i) {
    PodSpec spec;
    std::vector<const PodSpec*> specs = {&spec};
    std::vector<ResourceAmount> asked = {{kCpu, random_.between(1, 10)}};
    std::vector<FlavorOption> options;
    rules_->options({turns_[i].queue, turns_[i].workload, 0, specs, asked, {}, 0}, options);
    ASSERT_EQ(options.size(), kFlavors.size());
    for (const FlavorOption& option : options) {
      auto wanted = model_.grade(requests_[i].workload, requests_[i].queue,
                                 "cpu/" + kFlavors[option.position], asked[0].amount);
      ASSERT_EQ(option.mode, wanted.first) << requests_[i].workload;
      ASSERT_EQ(option.borrowing, wanted.second) << requests_[i].workload;
    }
  }

  void check_attempts(size_t i) {
    const PreemptionModel::Request& request = requests_[i];
    if (request.contested.empty()) return;
    std::vector<PreemptionModel::Attempt> found;
    for (const PreemptionAttempt& attempt : rules_->attempts(turns_[i])) {
      PreemptionModel::Attempt& named = found.emplace_back();
      named.borrowing = attempt.borrowing;
      for (size_t v = 0; v < attempt.victims.size(); ++v) {
        const std::string& name = world_.workloads[attempt.victims[v].workload].name;
        if (v < attempt.in_order) {
          named.in_order.emplace_back(name, attempt.victims[v].cause);
        } else {
          named.others.insert(name);
        }
      }
    }
    ASSERT_EQ(found, model_.attempts(request)) << request.workload;
  }

  Random random_;
  QuotaWorld world_;
  PreemptionModel model_;
  const QuotaRules* rules_ = nullptr;
  std::vector<std::vector<QuotaAmount>> amounts_;
  std::vector<std::vector<QuotaCellId>> contested_;
  std::vector<PreemptionModel::Request> requests_;
  std::vector<WorkloadTurn> turns_;
};

TEST(QuotaPlugin, NaiveModelAgrees) {
  uint64_t worlds = long_run(500, 120'000);
  for (uint64_t seed = 0; seed < worlds; ++seed) {
    RandomContest contest(seed);
    contest.check();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace trellis::quota_model_test
