#include "server/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

namespace trellis::metrics_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CycleFigures a_cycle() {
  return {.cycle_ns = 1'500'000,
          .actions = {{"allocate", 1'000'000}, {"reclaim", 20'000}},
          .plugins = {{"topology", 250'000}},
          .gang_decision_ns = {900, 1'000, 1'001, 40'000'000'000},
          .decisions = {{"allocate", Decision::Kind::Bind, 16},
                        {"reclaim", Decision::Kind::Evict, 2},
                        {"reclaim", Decision::Kind::Pipeline, 2}},
          .pending = {{"TopologyNoFit", 3}, {"QueueNotFound", 1}},
          .gangs = 20,
          .pods = 111,
          .nodes = 144,
          .gpus = 548,
          .gpus_used = 311,
          .input_errors = 1,
          .files_read = 4};
}

std::vector<LevelFigures> two_levels() {
  return {{.topology = "nvl72",
           .level = "example.com/rack",
           .resources = {{"cpu", Unit::MilliCpu, 64'500, 1'000},
                         {"memory", Unit::Bytes, int64_t{1} << 40, 1},
                         {"nvidia.com/gpu", Unit::MilliGpu, 72'000, 1'500},
                         {"pods", Unit::Count, 1980, 7}},
           .largest_gang_milli = 18'000,
           .largest_gang_nodes = 4},
          {.topology = "nvl72", .level = "a \"quoted\\\nlevel"}};
}

// What Prometheus' own parser, in Python, finds wrong.
std::string faults(const std::string& exposition) {
  std::string file = ::testing::TempDir() + "trellis_exposition.txt";
  std::ofstream(file) << exposition;
  std::string command =
      TRELLIS_PYTHON " " TRELLIS_SOURCE_DIR "/tests/metrics/exposition.py '" + file + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  int code = ::pclose(pipe);
  return code == 0 ? "" : output + "exit " + std::to_string(code);
}

TEST(Metrics, CountersOfAKindThatIsWatchedAgainGoOn) {
  Metrics metrics;
  metrics.set_cluster({{.kind = "pods", .events = 5, .failures = 1}});
  metrics.set_cluster({{.kind = "pods", .events = 7, .failures = 1}});
  metrics.set_cluster({});
  metrics.set_cluster({{.kind = "pods", .events = 2}});
  metrics.set_cluster({{.kind = "pods", .events = 3}});
  EXPECT_THAT(metrics.exposition(), HasSubstr("trellis_cluster_events_total{kind=\"pods\"} 10\n"));
  EXPECT_THAT(metrics.exposition(), HasSubstr("trellis_cluster_failures_total{kind=\"pods\"} 1\n"));
}

TEST(Metrics, DriversThatAreGoneVanish) {
  Metrics metrics;
  metrics.set_devices({{"gpu.example.com", 9, 5, 2, 1}, {"nic.example.com", 2, 0, 0, 0}});
  std::string text = metrics.exposition();
  for (const char* line : {"trellis_devices{driver=\"gpu.example.com\"} 9\n",
                           "trellis_held_devices{driver=\"gpu.example.com\"} 5\n",
                           "trellis_overlapping_devices{driver=\"gpu.example.com\"} 2\n",
                           "trellis_tainted_devices{driver=\"gpu.example.com\"} 1\n",
                           "trellis_devices{driver=\"nic.example.com\"} 2\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  metrics.set_devices({{"gpu.example.com", 8, 4, 0, 1}});
  text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("trellis_held_devices{driver=\"gpu.example.com\"} 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("nic.example.com")));
}

TEST(Metrics, IsReadByPrometheusParser) {
  Metrics metrics;
  EXPECT_EQ(faults(metrics.exposition()), "") << "before the first cycle";
  metrics.observe(a_cycle());
  metrics.observe(a_cycle());
  metrics.observe_failed_cycle();
  metrics.set_topology(two_levels());
  EXPECT_EQ(faults(metrics.exposition()), "");
}

TEST(Metrics, TheParserSeesFaults) {
  EXPECT_THAT(faults("trellis_x_total 1\n"), HasSubstr("no HELP and TYPE"));
  EXPECT_THAT(faults("# HELP trellis_x x\n# TYPE trellis_x gauge\ntrellis_x{pod=\"a\"} 1\n"),
              HasSubstr("a label names an object"));
  EXPECT_THAT(faults("# HELP trellis_x x\n# TYPE trellis_x gauge\ntrellis_x{a=\"} 1\n"),
              HasSubstr("exit"));
}

TEST(Metrics, CountsCyclesAndDecisions) {
  Metrics metrics;
  metrics.observe(a_cycle());
  metrics.observe(a_cycle());
  metrics.observe_failed_cycle();
  std::string text = metrics.exposition();
  for (const char* line :
       {"trellis_cycles_total{outcome=\"done\"} 2\n",
        "trellis_cycles_total{outcome=\"failed\"} 1\n",
        "trellis_decisions_total{action=\"allocate\",kind=\"bind\"} 32\n",
        "trellis_decisions_total{action=\"reclaim\",kind=\"evict\"} 4\n",
        "trellis_decisions_total{action=\"reclaim\",kind=\"pipeline\"} 4\n",
        "trellis_evicted_pods_total{action=\"reclaim\"} 4\n", "trellis_files_read_total 8\n",
        "trellis_pods 111\n", "trellis_used_gpus 311\n", "trellis_input_errors 1\n",
        "trellis_e2e_scheduling_latency_seconds_count 2\n",
        "trellis_action_scheduling_latency_seconds_count{action=\"allocate\"} 2\n",
        "trellis_plugin_scheduling_latency_seconds_sum{plugin=\"topology\"} 0.0005\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, BoundsBelongToTheirBucket) {
  Metrics metrics;
  metrics.observe(a_cycle());
  std::string text = metrics.exposition();
  const std::string bucket = "trellis_gang_scheduling_latency_seconds_bucket{le=";
  for (const char* rest : {"\"1e-06\"} 2\n", "\"2.5e-06\"} 3\n", "\"10\"} 3\n", "\"+Inf\"} 4\n"}) {
    EXPECT_THAT(text, HasSubstr(bucket + rest));
  }
}

TEST(Metrics, ReasonsThatVanishedAreZero) {
  Metrics metrics;
  metrics.observe(a_cycle());
  EXPECT_THAT(metrics.exposition(), HasSubstr("trellis_pending_gangs{code=\"TopologyNoFit\"} 3\n"));
  CycleFigures next = a_cycle();
  next.pending = {{"QueueNotFound", 2}};
  metrics.observe(next);
  std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("trellis_pending_gangs{code=\"TopologyNoFit\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("trellis_pending_gangs{code=\"QueueNotFound\"} 2\n"));
}

TEST(Metrics, AmountsAreInBaseUnits) {
  Metrics metrics;
  metrics.set_topology(two_levels());
  std::string text = metrics.exposition();
  const std::string labels = "{level=\"example.com/rack\",resource=";
  const std::string topology = ",topology=\"nvl72\"} ";
  for (const std::string& line :
       {"trellis_topology_allocatable_cores" + labels + "\"cpu\"" + topology + "64.5\n",
        "trellis_topology_used_gpus" + labels + "\"nvidia.com/gpu\"" + topology + "1.5\n",
        "trellis_topology_allocatable_bytes" + labels + "\"memory\"" + topology + "1099511627776\n",
        "trellis_topology_used_amount" + labels + "\"pods\"" + topology + "7\n",
        std::string("trellis_topology_largest_gang_gpus{level=\"example.com/rack\"") + topology +
            "18\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, NodesThatNoGangWantsAnyMoreAreGone) {
  Metrics metrics;
  metrics.set_nodes_wanted(
      {{"8 GPUs", "hall/b1", 2}, {"8 GPUs", "hall/b1", 1}, {"4 cores", "", 5}});
  std::string text = metrics.exposition();
  EXPECT_THAT(text,
              HasSubstr("trellis_gang_nodes_wanted{domain=\"hall/b1\",shape=\"8 GPUs\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("trellis_gang_nodes_wanted{domain=\"\",shape=\"4 cores\"} 5\n"));
  metrics.set_nodes_wanted({});
  EXPECT_THAT(metrics.exposition(), Not(HasSubstr("trellis_gang_nodes_wanted{")));
}

TEST(Metrics, LevelsThatAreGoneAreGone) {
  Metrics metrics;
  metrics.set_topology(two_levels());
  metrics.set_topology({});
  std::string text = metrics.exposition();
  EXPECT_THAT(text, Not(HasSubstr("example.com/rack")));
}

TEST(Metrics, SaysWhatTheProcessHolds) {
  Metrics metrics;
  std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("trellis_build_info{commit=\""));
  for (const char* name : {"\nprocess_open_fds ", "\nprocess_resident_memory_bytes ",
                           "\nprocess_start_time_seconds ", "\nprocess_threads "}) {
    size_t at = text.find(name);
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_GT(std::atof(text.c_str() + at + std::string_view(name).size()), 0) << name;
  }
}

TEST(Metrics, MayBeReadWhileACycleIsObserved) {
  Metrics metrics;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) EXPECT_THAT(metrics.exposition(), HasSubstr("trellis_gangs "));
  });
  for (int i = 0; i < 200; ++i) {
    CycleFigures figures = a_cycle();
    figures.pending[0].code += std::to_string(i % 10);
    metrics.observe(figures);
    metrics.set_topology(i % 2 == 0 ? two_levels() : std::vector<LevelFigures>{});
  }
  done = true;
  reader.join();
}

TEST(MetricsDocument, StandsInDocs) {
  const std::string path = TRELLIS_SOURCE_DIR "/docs/metrics.md";
  if (std::getenv("TRELLIS_UPDATE") != nullptr) std::ofstream(path) << metrics_document();
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, metrics_document()) << "run with TRELLIS_UPDATE=1";
}

}  // namespace
}  // namespace trellis::metrics_test
