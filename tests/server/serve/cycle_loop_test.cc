#include "server/serve/cycle_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/serve/observer.h"
#include "server/sources/file_source.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::cycle_loop_test {
namespace {

using std::chrono::milliseconds;
using test::TemporaryFolder;

Config quick() {
  Config config;
  config.period_us = 10'000;
  return config;
}

std::string nodes(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + std::to_string(i) +
            R"("},"status":{"allocatable":{"cpu":"4","pods":"10"}}})" + "\n";
  }
  return text;
}

std::string pod(int number) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(number) +
         R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})" + "\n";
}

// A loop whose cycles go to an observer.
struct Running {
  explicit Running(const std::string& path, const Config& config = quick())
      : observer(config),
        loop(std::make_unique<CycleRunner>(
                 std::make_unique<FileSource>(std::vector<std::string>{path}), config),
             {.finished =
                  [this](std::shared_ptr<const FinishedCycle> cycle, CycleRunner& runner) {
                    observer.publish(std::move(cycle), runner.take_input());
                  },
              .failed = [](const std::string& why, CycleRunner&) { ADD_FAILURE() << why; }}) {}

  // Waits until `holds` says so of the last cycle.
  bool eventually(const std::function<bool(const Observer::View&)>& holds) {
    for (int i = 0; i < 5000; ++i) {
      bool held = false;
      observer.ask([&](const Observer::View& view) { held = holds(view); });
      if (held) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  Observer observer;
  CycleLoop loop;
};

bool runs(const Observer::View& view, const std::string& name) {
  PodId pod = view.engine.cluster().find_pod("default", name);
  return pod.valid() && view.cycle.record->pods[pod].status == PodStatus::Running;
}

TEST(CycleLoop, DecidesAndLetsItComeTrue) {
  TemporaryFolder folder;
  folder.write("cluster.jsonl", nodes(2) + pod(0));
  Running running(folder.path());
  EXPECT_TRUE(running.eventually([](const auto& view) { return runs(view, "p0"); }));
  folder.write("more.jsonl", pod(1));
  EXPECT_TRUE(
      running.eventually([](const auto& view) { return runs(view, "p0") && runs(view, "p1"); }));
  folder.remove("cluster.jsonl");
  EXPECT_TRUE(running.eventually(
      [](const auto& view) { return !view.engine.cluster().find_pod("default", "p0").valid(); }));
  EXPECT_TRUE(running.loop.healthy());
  EXPECT_TRUE(running.loop.stop(milliseconds(1000)));
}

TEST(CycleLoop, AQuietClusterIsLookedAtOnce) {
  TemporaryFolder folder;
  folder.write("cluster.jsonl", nodes(2) + pod(0));
  Running running(folder.path());
  ASSERT_TRUE(running.eventually([](const auto& view) { return runs(view, "p0"); }));
  int64_t number = running.observer.last_number();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(running.observer.last_number(), number);
}

TEST(CycleLoop, TakesANewConfiguration) {
  TemporaryFolder folder;
  folder.write("cluster.jsonl", nodes(2) + pod(0));
  Config config = quick();
  config.scheduler_names = {"another"};
  Running running(folder.path(), config);
  ASSERT_TRUE(running.eventually([](const auto& view) { return view.cycle.number > 0; }));
  EXPECT_EQ(running.observer.last_number(), 1);  // it found nothing of ours
  running.loop.configure(quick());
  EXPECT_TRUE(running.eventually([](const auto& view) { return runs(view, "p0"); }));
}

// However fast a file changes, the last word counts.
TEST(CycleLoop, LosesNoUpdate) {
  constexpr int kChanges = 10'000;
  TemporaryFolder folder;
  folder.write("cluster.jsonl", nodes(1));
  Running running(folder.path());
  for (int i = 1; i <= kChanges; ++i) {
    folder.write_now(".next", nodes(1) + pod(i));
    std::filesystem::rename(folder.file(".next"), folder.file("cluster.jsonl"));
  }
  EXPECT_TRUE(running.eventually([&](const auto& view) {
    return runs(view, "p" + std::to_string(kChanges)) &&
           view.engine.cluster().pods_by_name().size() == 1;
  }));
}

// A source that counts who looks.
class BelledSource : public ObjectSource {
 public:
  explicit BelledSource(std::atomic<int>& polls) : polls_(polls) {}
  std::optional<SourceUpdate> poll(Vocabulary&) override {
    ++polls_;
    return std::nullopt;
  }
  std::shared_ptr<Bell> bell() override { return bell_; }
  bool ready() const override { return true; }
  void configure(ReadingSettings) override {}
  ExecutionMode mode() const override { return ExecutionMode::DryRun; }
  int64_t files_read() const override { return 0; }

 private:
  std::atomic<int>& polls_;
  std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
};

TEST(CycleLoop, LooksAtOnceWhenItsSourceRings) {
  constexpr int kRings = 40;
  std::atomic<int> polls = 0;
  auto source = std::make_unique<BelledSource>(polls);
  std::shared_ptr<Bell> bell = source->bell();
  CycleLoop loop(std::make_unique<CycleRunner>(std::move(source), Config()),
                 {.finished = [](std::shared_ptr<const FinishedCycle>, CycleRunner&) {},
                  .failed = [](const std::string& why, CycleRunner&) { ADD_FAILURE() << why; }});
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRings; ++i) {
    int before = polls;
    bell->ring();
    while (polls == before) std::this_thread::sleep_for(milliseconds(1));
  }
  // By itself it looks ten times a second.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(kRings * 50));
  EXPECT_TRUE(loop.stop(milliseconds(1000)));
}

}  // namespace
}  // namespace trellis::cycle_loop_test
