#include "server/serve/timed_plugin.h"

#include <span>
#include <tuple>
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
  bool may_stay(PodId pod, NodeId node) const override { return inner_.may_stay(pod, node); }

 private:
  NodeCounter& inner_;
  Timer timer_;
};

class TimedScorer : public NodeScorer {
 public:
  TimedScorer(NodeScorer& inner, Timer timer) : inner_(inner), timer_(timer) {}
  bool distinguishes(PodClassId pod_class, FitMode mode) const override {
    return inner_.distinguishes(pod_class, mode);
  }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    auto lap = timer_.lap();
    inner_.score(pod_class, nodes, weight, out);
  }
  uint64_t score_epoch() const override { return inner_.score_epoch(); }

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

class TimedDivider : public PodDivider {
 public:
  TimedDivider(PodDivider& inner, Timer timer) : inner_(inner), timer_(timer) {}
  bool divides(PodClassId pod_class) const override { return inner_.divides(pod_class); }
  bool may_refuse(PodClassId pod_class) const override { return inner_.may_refuse(pod_class); }
  std::span<const NodePods> divide(const DivisionQuery& query) override {
    auto lap = timer_.lap();
    return inner_.divide(query);
  }
  std::vector<DividedGroup> explain(const DivisionQuery& query) override {
    return inner_.explain(query);
  }

 private:
  PodDivider& inner_;
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
    timed_ = {};
    auto all = all_points(hooks);
    auto take = [&]<class Points>(Points& points) { add(points, std::get<Points&>(all)); };
    std::apply([&](auto&... points) { (take(points), ...); }, all_points(own));
  }

 private:
  template <class Point>
  void add(const std::vector<Registered<Point>>& own, std::vector<Registered<Point>>& all) {
    for (Registered<Point> point : own) {
      point.point = timed(point.point);
      all.push_back(point);
    }
  }

  template <class Point>
  void add(const SinglePoint<Point>& own, SinglePoint<Point>& all) {
    if (own != nullptr) all.supply(timed(own), name());
  }

  NodeCounter* timed(NodeCounter* point) { return keep<TimedCounter>(point); }
  NodeScorer* timed(NodeScorer* point) { return keep<TimedScorer>(point); }
  LinkScorer* timed(LinkScorer* point) { return keep<TimedLinkScorer>(point); }
  FeasibleNodes* timed(FeasibleNodes* point) { return keep<TimedFeasibleNodes>(point); }
  PodDivider* timed(PodDivider* point) { return keep<TimedDivider>(point); }

  // Called for a node class, a pair, one pod or one placement: a clock would cost more.
  static ClassFilter* timed(ClassFilter* point) { return point; }
  static PodLinks* timed(PodLinks* point) { return point; }
  static PlacementListener* timed(PlacementListener* point) { return point; }
  static ArrivalListener* timed(ArrivalListener* point) { return point; }
  static GangOrder* timed(GangOrder* point) { return point; }
  static VictimRule* timed(VictimRule* point) { return point; }
  static PodOrder* timed(PodOrder* point) { return point; }
  static BeforeBind* timed(BeforeBind* point) { return point; }
  static PodDescriber* timed(PodDescriber* point) { return point; }
  static DeviceGranter* timed(DeviceGranter* point) { return point; }
  static QueueRules* timed(QueueRules* point) { return point; }
  static QuotaRules* timed(QuotaRules* point) { return point; }
  static ClaimChooser* timed(ClaimChooser* point) { return point; }
  static DeviceAllocator* timed(DeviceAllocator* point) { return point; }

  template <class Timed, class Point>
  Point* keep(Point* point) {
    auto& kept = std::get<std::vector<std::unique_ptr<Timed>>>(timed_);
    return kept.emplace_back(std::make_unique<Timed>(*point, timer_)).get();
  }

  template <class... Timed>
  using Kept = std::tuple<std::vector<std::unique_ptr<Timed>>...>;

  std::unique_ptr<Plugin> inner_;
  Timer timer_;
  Kept<TimedCounter, TimedScorer, TimedLinkScorer, TimedFeasibleNodes, TimedDivider> timed_;
};

}  // namespace

std::unique_ptr<Plugin> timed_plugin(std::unique_ptr<Plugin> plugin, CycleClock& clock) {
  return std::make_unique<TimedPlugin>(std::move(plugin), clock);
}

}  // namespace trellis
