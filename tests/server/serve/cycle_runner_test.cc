#include "server/serve/cycle_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "framework/check.h"
#include "server/debug/debug_api.h"
#include "server/document/json_objects.h"
#include "server/serve/observer.h"
#include "server/sources/file_source.h"
#include "tests/server/system/temporary_folder.h"
#include "tests/support/incremental_source.h"

namespace trellis::cycle_runner_test {
namespace {

using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

std::unique_ptr<ObjectSource> files_in(const TemporaryFolder& folder) {
  return std::make_unique<FileSource>(std::vector<std::string>{folder.path()});
}

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z

std::string node(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"("},"status":{"allocatable":{"cpu":"4","pods":"10"}}})" + "\n";
}

std::string pod(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})" + "\n";
}

// Opens as the plugin that it stands for, or fails.
class Failing : public Plugin {
 public:
  Failing(std::unique_ptr<Plugin> inner, const bool& fails)
      : inner_(std::move(inner)), fails_(fails) {}
  std::string_view name() const override { return inner_->name(); }
  void open(const View& view, Hooks& hooks) override {
    if (fails_) throw std::runtime_error("it had to happen");
    inner_->open(view, hooks);
  }

 private:
  std::unique_ptr<Plugin> inner_;
  const bool& fails_;
};

std::string pods(Observer& observer) {
  std::string text;
  observer.ask([&](const Observer::View& view) {
    for (PodId id : view.engine.cluster().pods_by_name()) {
      const PodOutcome& outcome = view.cycle.record->pods[id];
      text += view.engine.cluster().pods()[id].pod.name + " " +
              std::string(to_string(outcome.status)) + "\n";
    }
  });
  return text;
}

TEST(CycleRunner, ACycleThatFailsLeavesTheLastOneStanding) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1") + pod("p1"));
  bool fails = false;
  CycleRunner runner(files_in(folder), Config(), [&](std::unique_ptr<Plugin> plugin) {
    return std::make_unique<Failing>(std::move(plugin), fails);
  });
  Observer observer{Config()};
  TimeUs now = kNoon;
  auto turn = [&] {
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now += kSecondUs);
    if (!cycle) return false;
    observer.publish(std::move(cycle), runner.take_input());
    return true;
  };
  EXPECT_TRUE(turn());
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  // Twice in a row, each with a change of its own.
  fails = true;
  folder.write("b.jsonl", pod("p2"));
  EXPECT_FALSE(turn());
  EXPECT_EQ(runner.failure(), "it had to happen");
  folder.write("c.jsonl", node("n2") + pod("p3"));
  EXPECT_FALSE(turn());
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  fails = false;
  EXPECT_TRUE(turn());
  EXPECT_EQ(runner.failure(), "");
  EXPECT_EQ(pods(observer), "p1 Running\np2 Bound\np3 Bound\n");
  runner.engine().cluster().check_invariants();
  EXPECT_TRUE(turn());  // they run now
  EXPECT_FALSE(turn());
  EXPECT_EQ(pods(observer), "p1 Running\np2 Running\np3 Running\n");
}

// Opens as the plugin that it stands for, or with an id of no table.
class Breaking : public Plugin {
 public:
  Breaking(std::unique_ptr<Plugin> inner, const bool& breaks)
      : inner_(std::move(inner)), breaks_(breaks) {}
  std::string_view name() const override { return inner_->name(); }
  void open(const View& view, Hooks& hooks) override {
    if (breaks_) (void)(*view.queues)[QueueId()];
    inner_->open(view, hooks);
  }

 private:
  std::unique_ptr<Plugin> inner_;
  const bool& breaks_;
};

constexpr const char* kBroken = "broken check: a Queue id is one of its table (found none, of 0)";

TEST(CycleRunner, ABrokenCheckEndsTheCycleAndShowsItsInput) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1") + pod("p1"));
  bool breaks = false;
  CycleRunner runner(files_in(folder), Config(), [&](std::unique_ptr<Plugin> plugin) {
    return std::make_unique<Breaking>(std::move(plugin), breaks);
  });
  Observer observer{Config()};
  TimeUs now = kNoon;
  std::shared_ptr<const FinishedCycle> cycle;
  auto turn = [&] {
    runner.poll();
    cycle = runner.run(now += kSecondUs);
    if (cycle) observer.publish(cycle, runner.take_input());
    return cycle != nullptr;
  };
  EXPECT_TRUE(turn());
  EXPECT_EQ(cycle->cluster_number, 1);
  EXPECT_EQ(runner.failed(), nullptr);
  breaks = true;
  folder.write("b.jsonl", pod("p2"));
  // Each time; only now and then all is read again.
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(turn());
    EXPECT_EQ(runner.failure(), kBroken);
  }
  ASSERT_NE(runner.failed(), nullptr);
  EXPECT_EQ(runner.failed()->why, kBroken);
  EXPECT_EQ(runner.failed()->at, kNoon + 2 * kSecondUs);
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  breaks = false;
  EXPECT_TRUE(turn());
  EXPECT_EQ(runner.failure(), "");
  EXPECT_GT(cycle->cluster_number, 1);
  EXPECT_EQ(pods(observer), "p1 Running\np2 Bound\n");
  runner.engine().cluster().check_invariants();

  // What was kept decides, elsewhere, what that cycle would have.
  TemporaryFolder shown;
  shown.write("failed.jsonl", runner.failed()->snapshot);
  CycleRunner other(files_in(shown), Config());
  Observer other_observer{Config()};
  other.poll();
  std::shared_ptr<const FinishedCycle> same = other.run(runner.failed()->at);
  other_observer.publish(std::move(same), other.take_input());
  EXPECT_EQ(pods(other_observer), "p1 Running\np2 Bound\n");
}

TEST(Observer, AQuestionThatBreaksACheckLeavesTheNextOneAlone) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1") + pod("p1"));
  CycleRunner runner(files_in(folder), Config());
  bool breaks = false;
  Observer observer{Config(), [&](std::unique_ptr<Plugin> plugin) {
                      return std::make_unique<Breaking>(std::move(plugin), breaks);
                    }};
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNoon);
  observer.publish(std::move(cycle), runner.take_input());
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  breaks = true;
  auto ask = [&] {
    return observer.ask([](const Observer::View& view) {
      GangId gang = view.engine.cluster().gangs_by_name().front();
      view.engine.scheduler().reopen_without(gang);
    });
  };
  EXPECT_THROW(ask(), BrokenCheck);
  EXPECT_THROW(ask(), BrokenCheck);
  breaks = false;
  EXPECT_TRUE(ask());
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  EXPECT_FALSE(observer.out_of_step());
}

TEST(DebugApi, AQuestionThatBreaksACheckIs500) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1") + pod("p1"));
  CycleRunner runner(files_in(folder), Config());
  bool breaks = false;
  Observer observer{Config(), [&](std::unique_ptr<Plugin> plugin) {
                      return std::make_unique<Breaking>(std::move(plugin), breaks);
                    }};
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNoon);
  observer.publish(std::move(cycle), runner.take_input());
  auto failed = std::make_shared<const FailedCycle>(FailedCycle{kBroken, kNoon, "{}\n"});
  bool failing = true;
  std::vector<std::string> reported;
  DebugApi api({.observer = observer,
                .healthy = [] { return true; },
                .metrics = [] { return std::string(); },
                .standing = {},
                .differences = {},
                .failed_cycle = [&] { return failed; },
                .failing = [&] { return failing; },
                .answer_failed = [&](const std::string& why) { reported.push_back(why); }});
  auto get = [&](const std::string& path) {
    HttpRequest request{.method = "GET", .path = path};
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '/');) {
      if (!part.empty()) request.segments.push_back(part);
    }
    return api.answer(request);
  };
  EXPECT_EQ(get("/debug/pods/default/p1").status, 200);
  breaks = true;
  HttpResponse broken = get("/debug/pods/default/p1");
  EXPECT_EQ(broken.status, 500);
  EXPECT_THAT(broken.body, testing::HasSubstr(kBroken));
  EXPECT_THAT(reported, ElementsAre(kBroken));
  breaks = false;
  EXPECT_EQ(get("/debug/pods/default/p1").status, 200);
  EXPECT_EQ(get("/healthz").body,
            std::string("ok, but the last cycle failed and nothing of it is carried out: ") +
                kBroken + "; /debug/failed has its input\n");
  EXPECT_EQ(get("/debug/failed").body, "{}\n");
  failing = false;
  failed = nullptr;
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/debug/failed").status, 404);
}

TEST(CycleRunner, TimesActionsPluginsAndGangs) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1") + pod("p1") + pod("p2"));
  Config config;
  config.actions = {"allocate", "stalegangeviction"};
  CycleRunner runner(files_in(folder), config);
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNoon);
  ASSERT_NE(cycle, nullptr);
  const CycleTimes& times = cycle->times;
  EXPECT_THAT(times.actions, ElementsAre(Field(&PartTime::name, "allocate"),
                                         Field(&PartTime::name, "stalegangeviction")));
  EXPECT_THAT(times.plugins, Contains(Field(&PartTime::name, "predicates")));
  ASSERT_EQ(times.gangs.size(), 2U);
  int64_t in_plugins_ns = 0;
  int64_t in_gangs_ns = 0;
  for (const PartTime& plugin : times.plugins) in_plugins_ns += plugin.ns;
  for (const GangTime& gang : times.gangs) in_gangs_ns += gang.ns;
  EXPECT_GT(in_plugins_ns, 0);
  // Nothing is counted twice.
  EXPECT_LE(in_plugins_ns, times.cycle_ns);
  EXPECT_LE(in_gangs_ns, times.actions[0].ns);
  EXPECT_LE(times.actions[0].ns, times.cycle_ns);
}

TEST(CycleRunner, ErrorsInTheInputGoWithTheCycle) {
  TemporaryFolder folder;
  folder.write("a.jsonl", node("n1"));
  CycleRunner runner(files_in(folder), Config());
  runner.poll();
  EXPECT_THAT(*runner.run(kNoon)->diagnostics, IsEmpty());
  folder.write("a.jsonl", "{");
  EXPECT_TRUE(runner.poll());
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNoon + kSecondUs);
  ASSERT_NE(cycle, nullptr);
  EXPECT_EQ(cycle->diagnostics->size(), 1U);
  EXPECT_FALSE(runner.poll());
  EXPECT_EQ(runner.run(kNoon + 2 * kSecondUs), nullptr);
}

TEST(CycleRunner, ReportsOfZonesComeAndGo) {
  std::string zone =
      R"("type":"Node","resources":[)"
      R"({"name":"cpu","capacity":"2","allocatable":"2","available":"2"},)"
      R"({"name":"memory","capacity":"4Gi","allocatable":"4Gi","available":"4Gi"}]})";
  std::string zones = R"({"apiVersion":"topology.node.k8s.io/v1alpha2",)"
                      R"("kind":"NodeResourceTopology","metadata":{"name":"n1"},)"
                      R"("topologyPolicies":["SingleNUMANodeContainerLevel"],"zones":[)"
                      R"({"name":"node-0",)" +
                      zone + R"(,{"name":"node-1",)" + zone + "]}\n";
  auto whole = [](const std::string& name) {
    std::string amounts = R"({"cpu":"3","memory":"1Gi"})";
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"("},"spec":{"containers":[{"name":"c","resources":{"requests":)" + amounts +
           R"(,"limits":)" + amounts + "}}]}}\n";
  };
  TemporaryFolder folder;
  folder.write("n.jsonl", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)"
                          R"({"allocatable":{"cpu":"8","memory":"8Gi","pods":"10"}}})"
                          "\n");
  folder.write("p.jsonl", whole("p1"));
  folder.write("z.jsonl", zones);
  CycleRunner runner(files_in(folder), Config());
  Observer observer{Config()};
  TimeUs now = kNoon;
  auto turn = [&] {
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now += kSecondUs);
    if (cycle) observer.publish(std::move(cycle), runner.take_input());
    return pods(observer);
  };
  EXPECT_EQ(turn(), "p1 Pending\n");
  folder.remove("z.jsonl");
  EXPECT_EQ(turn(), "p1 Bound\n");
  EXPECT_EQ(turn(), "p1 Running\n");
  folder.write("z.jsonl", zones);
  folder.write("q.jsonl", whole("p2"));
  EXPECT_EQ(turn(), "p1 Running\np2 Pending\n");
  folder.remove("z.jsonl");
  EXPECT_EQ(turn(), "p1 Running\np2 Bound\n");
}

// Objects that another scheduler decides about as well.
class Live : public test::IncrementalSource {
 public:
  // `text`: an object a line; empty: nothing has been read yet.
  explicit Live(const std::shared_ptr<std::string>& text,
                ExecutionMode mode = ExecutionMode::DryRun)
      : IncrementalSource(mode), text_(text) {}
  bool ready() const override { return !text_->empty(); }

 protected:
  Texts texts() const override {
    Texts texts;
    std::istringstream lines(*text_);
    for (std::string line; std::getline(lines, line);) {
      Json object = parse_object(line);
      std::string name = text_at(object["metadata"], "name");
      texts[(object["kind"] == "Pod" ? "pods/default/" : "nodes/") + name] = line;
    }
    return texts;
  }

 private:
  std::shared_ptr<std::string> text_;
};

TEST(CycleRunner, DecisionsOfADryRunAreDecidedAgain) {
  auto text = std::make_shared<std::string>();
  CycleRunner runner(std::make_unique<Live>(text), Config());
  EXPECT_FALSE(runner.ready());
  Observer observer{Config()};
  TimeUs now = kNoon;
  auto turn = [&] {
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now += kSecondUs);
    if (!cycle) return false;
    observer.publish(std::move(cycle), runner.take_input());
    return true;
  };
  *text = node("n1") + pod("p1");
  runner.poll();
  EXPECT_TRUE(runner.ready());
  EXPECT_TRUE(turn());
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  EXPECT_TRUE(turn());
  EXPECT_EQ(pods(observer), "p1 Bound\n") << "decided again, and not come true";
  *text += pod("p2");
  EXPECT_TRUE(turn());
  EXPECT_EQ(pods(observer), "p1 Bound\np2 Bound\n");
  *text = node("n1") + pod("p2");
  EXPECT_TRUE(turn());
  EXPECT_EQ(pods(observer), "p2 Bound\n");
  runner.engine().cluster().check_invariants();
}

// What a cycle binds, by name; fails what `failing` names.
class Sink : public DecisionSink {
 public:
  bool active() override { return is_active; }
  void take(const CycleRecord& record, const Cluster& cluster) override {
    for (const Decision& decision : record.decisions) {
      if (decision.kind != Decision::Kind::Bind) continue;
      bound.push_back(cluster.pods()[decision.pod].pod.name);
    }
  }
  void seen(const ObjectChanges& changes, const StringTable&) override {
    for (const PodObject& object : changes.upserts.pods) {
      if (!object.pod.node.empty()) confirmed.push_back(object.pod.name);
    }
  }
  Forgotten failed() override { return std::exchange(failing, {}); }

  bool is_active = true;
  std::vector<std::string> bound;
  std::vector<std::string> confirmed;
  Forgotten failing;
};

class Assumed : public testing::Test {
 protected:
  bool turn() {
    runner.poll();
    if (!runner.ready()) return false;
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now += kSecondUs);
    if (!cycle) return false;
    observer.publish(std::move(cycle), runner.take_input());
    runner.engine().cluster().check_invariants();
    return true;
  }
  // Cycles until nothing changes.
  void settle() {
    for (int i = 0; turn(); ++i) ASSERT_LT(i, 10);
  }
  static std::string bound_pod(const std::string& name) {
    std::string text = pod(name);
    return text.replace(text.find(R"("spec":{)"), 8, R"("spec":{"nodeName":"n1",)");
  }

  std::shared_ptr<std::string> text = std::make_shared<std::string>();
  Sink sink;
  CycleRunner runner{std::make_unique<Live>(text, ExecutionMode::Assume), Config(), {}, &sink};
  Observer observer{Config()};
  TimeUs now = kNoon;
};

TEST_F(Assumed, WhatIsDecidedIsTakenForTrueUntilTheObjectsSaySo) {
  *text = node("n1") + pod("p1");
  settle();
  EXPECT_THAT(sink.bound, ElementsAre("p1"));
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  EXPECT_EQ(runner.engine().cluster().pods()[PodId(0)].pod.status, PodStatus::Bound);
  // It counts before the server has confirmed it: there is room for three more.
  for (int i = 2; i <= 5; ++i) *text += pod("p" + std::to_string(i));
  settle();
  EXPECT_THAT(sink.bound, ElementsAre("p1", "p2", "p3", "p4"));
  EXPECT_THAT(sink.confirmed, IsEmpty());
  *text = node("n1") + bound_pod("p1");
  settle();
  EXPECT_THAT(sink.confirmed, ElementsAre("p1"));
  EXPECT_EQ(pods(observer), "p1 Bound\n");
  EXPECT_THAT(sink.bound, testing::SizeIs(4));
}

TEST_F(Assumed, WhatFailedIsDecidedAgain) {
  *text = node("n1") + pod("p1") + pod("p2");
  settle();
  sink.failing.pods = {{"default", "p2"}};
  settle();
  EXPECT_THAT(sink.bound, ElementsAre("p1", "p2", "p2"));
}

TEST_F(Assumed, NothingIsDecidedWhileItIsNotForUsAndNothingAssumedOutlivesThat) {
  sink.is_active = false;
  *text = node("n1") + pod("p1");
  EXPECT_FALSE(turn());
  EXPECT_THAT(sink.bound, IsEmpty());
  sink.is_active = true;
  settle();
  EXPECT_THAT(sink.bound, ElementsAre("p1"));
  sink.is_active = false;
  *text += pod("p2");
  EXPECT_FALSE(turn());
  sink.is_active = true;
  settle();
  EXPECT_THAT(sink.bound, ElementsAre("p1", "p1", "p2"));
}

}  // namespace
}  // namespace trellis::cycle_runner_test
