#include "server/serve/timed_plugin.h"

#include <span>
#include <utility>
#include <vector>

namespace trellis {
namespace {

struct Timer {
  CycleClock* clock;
  size_t plugin;
  CycleClock::Lap lap() const { return {*clock, plugin}; }
};

class TimedCounter : public NodeCounter {
 public:
  TimedCounter(NodeCounter& inner, Timer timer) : inner_(inner), timer_(timer) {}
  bool applies(PodClassId pod_class) const override { return inner_.applies(pod_class); }
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override {
    auto lap = timer_.lap();
    inner_.count_fit(pod_class, mode, nodes, counts);
  }
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override {
    return inner_.refusal(pod_class, mode, node);
  }

 private:
  NodeCounter& inner_;
  Timer timer_;
};

class TimedScorer : public NodeScorer {
 public:
  TimedScorer(NodeScorer& inner, Timer timer) : inner_(inner), timer_(timer) {}
  bool tells_apart(PodClassId pod_class, FitMode mode) const override {
    return inner_.tells_apart(pod_class, mode);
  }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    auto lap = timer_.lap();
    inner_.score(pod_class, nodes, weight, out);
  }

 private:
  NodeScorer& inner_;
  Timer timer_;
};

class TimedLinkScorer : public LinkScorer {
 public:
  TimedLinkScorer(LinkScorer& inner, Timer timer) : inner_(inner), timer_(timer) {}
  bool scores_links(PodClassId pod_class) const override { return inner_.scores_links(pod_class); }
  void score_keys(PodClassId pod_class, std::vector<StrId>& keys) const override {
    inner_.score_keys(pod_class, keys);
  }
  void score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes, double weight,
                   std::span<double> out) const override {
    auto lap = timer_.lap();
    inner_.score_links(pod_class, mode, nodes, weight, out);
  }

 private:
  LinkScorer& inner_;
  Timer timer_;
};

class TimedGroups : public NodeGroups {
 public:
  explicit TimedGroups(Timer timer) : timer_(timer) {}
  int64_t looked_at() const override { return inner_->looked_at(); }
  std::unique_ptr<NodeGroups>& inner() { return inner_; }
  bool next(NodeGroup& group) override {
    auto lap = timer_.lap();
    return inner_->next(group);
  }

 private:
  std::unique_ptr<NodeGroups> inner_;
  Timer timer_;
};

class TimedFeasibleNodes : public FeasibleNodes {
 public:
  TimedFeasibleNodes(FeasibleNodes& inner, Timer timer) : inner_(inner), timer_(timer) {}
  std::unique_ptr<NodeGroups> groups(const GroupQuery& query,
                                     std::unique_ptr<NodeGroups> used) override {
    auto lap = timer_.lap();
    if (used == nullptr) used = std::make_unique<TimedGroups>(timer_);
    std::unique_ptr<NodeGroups>& groups = static_cast<TimedGroups&>(*used).inner();
    groups = inner_.groups(query, std::move(groups));
    return groups == nullptr ? nullptr : std::move(used);
  }
  Reason refusal(GangId gang) const override { return inner_.refusal(gang); }

 private:
  FeasibleNodes& inner_;
  Timer timer_;
};

class TimedPlugin : public Plugin {
 public:
  TimedPlugin(std::unique_ptr<Plugin> inner, CycleClock& clock)
      : inner_(std::move(inner)), timer_{&clock, clock.plugin(inner_->name())} {}

  std::string_view name() const override { return inner_->name(); }

  void open(const View& view, Hooks& hooks) override {
    Hooks own;
    {
      auto lap = timer_.lap();
      inner_->open(view, own);
    }
    counters_.clear();
    scorers_.clear();
    link_scorers_.clear();
    wrap(own.node_counters, counters_);
    wrap(own.node_scorers, scorers_);
    wrap(own.link_scorers, link_scorers_);
    add(hooks.class_filters, own.class_filters);
    add(hooks.node_counters, own.node_counters);
    add(hooks.node_scorers, own.node_scorers);
    add(hooks.pod_links, own.pod_links);
    add(hooks.link_scorers, own.link_scorers);
    add(hooks.listeners, own.listeners);
    add(hooks.gang_orders, own.gang_orders);
    add(hooks.pod_orders, own.pod_orders);
    add(hooks.before_binds, own.before_binds);
    add(hooks.describers, own.describers);
    add(hooks.victim_rules, own.victim_rules);
    if (own.queue_rules != nullptr) hooks.queue_rules = own.queue_rules;
    if (own.quota_rules != nullptr) hooks.quota_rules = own.quota_rules;
    if (own.pod_divider != nullptr) hooks.pod_divider = own.pod_divider;
    if (own.device_granter != nullptr) hooks.device_granter = own.device_granter;
    if (own.feasible_nodes != nullptr) {
      feasible_nodes_ = std::make_unique<TimedFeasibleNodes>(*own.feasible_nodes, timer_);
      hooks.feasible_nodes = feasible_nodes_.get();
    }
  }

 private:
  template <class Point, class Timed>
  void wrap(std::vector<Registered<Point>>& points, std::vector<std::unique_ptr<Timed>>& timed) {
    for (Registered<Point>& point : points) {
      timed.push_back(std::make_unique<Timed>(*point.point, timer_));
      point.point = timed.back().get();
    }
  }

  template <class Point>
  static void add(std::vector<Registered<Point>>& all, const std::vector<Registered<Point>>& own) {
    all.insert(all.end(), own.begin(), own.end());
  }

  std::unique_ptr<Plugin> inner_;
  Timer timer_;
  std::vector<std::unique_ptr<TimedCounter>> counters_;
  std::vector<std::unique_ptr<TimedScorer>> scorers_;
  std::vector<std::unique_ptr<TimedLinkScorer>> link_scorers_;
  std::unique_ptr<TimedFeasibleNodes> feasible_nodes_;
};

}  // namespace

std::unique_ptr<Plugin> timed_plugin(std::unique_ptr<Plugin> plugin, CycleClock& clock) {
  return std::make_unique<TimedPlugin>(std::move(plugin), clock);
}

}  // namespace trellis
