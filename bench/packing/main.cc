// trellis_packing: how many of the GPUs of the openb trace Trellis uses.
#include <absl/strings/numbers.h>

#include <cstdio>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/packing/bound.h"
#include "bench/packing/openb.h"
#include "bench/packing/replay.h"

namespace trellis::bench {
namespace {

constexpr const char* kUsage =
    "usage: trellis_packing FOLDER [--list NAME]... [--seeds N] [--steady]\n"
    "                       [--strategy binpack|spread|fragmentation|bound]...\n"
    "FOLDER has the lists of nodes and pods of the openb trace as CSV files. The figures are GPUs\n"
    "in use in percent: when the requests of the pods that arrived reach 80 to 130 % of all GPUs,\n"
    "or with --steady on average at loads of 0.95 and 1.00. Mean of the seeds, 10 by default.\n"
    "The strategy `bound` is none: it is what no placement of the pods that arrived can exceed.\n";

struct Options {
  std::string folder;
  std::vector<std::string> lists;
  std::vector<std::string> strategies;
  int seeds = 10;
  bool steady = false;
};

bool parse(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    bool more = i + 1 < count;
    if (word == "--list" && more) {
      options.lists.emplace_back(words[++i]);
    } else if (word == "--strategy" && more) {
      options.strategies.emplace_back(words[++i]);
    } else if (word == "--seeds" && more) {
      if (!absl::SimpleAtoi(words[++i], &options.seeds) || options.seeds < 1) return false;
    } else if (word == "--steady") {
      options.steady = true;
    } else if (options.folder.empty() && !word.starts_with("-")) {
      options.folder = word;
    } else {
      return false;
    }
  }
  if (options.lists.empty()) options.lists.assign(std::begin(kOpenbLists), std::end(kOpenbLists));
  if (options.strategies.empty()) options.strategies = {"binpack", "fragmentation"};
  return !options.folder.empty();
}

bool set_strategy(const std::string& name, Config& config) {
  Strategy& strategy = config.placement_strategy.gpu;
  if (name == "binpack") {
    strategy = Strategy::Binpack;
  } else if (name == "spread") {
    strategy = Strategy::Spread;
  } else if (name == "fragmentation") {
    strategy = Strategy::Fragmentation;
  } else {
    return false;
  }
  return true;
}

constexpr const char* kBound = "bound";

std::vector<double> figures(const std::string& strategy, const PackingInput& input,
                            const Options& options) {
  if (strategy == kBound) {
    auto most = bound_arrivals(input);
    return {most.begin(), most.end()};
  }
  if (options.steady) return {steady_state(input, 0.95), steady_state(input, 1.00)};
  auto used = replay_arrivals(input);
  return {used.begin(), used.end()};
}

// One line: list, strategy, the figures, and the processor time of a seed.
void report(const std::string& list, const std::string& strategy, PackingInput input,
            const Options& options) {
  std::vector<double> sums;
  std::clock_t begin = std::clock();
  for (int seed = 0; seed < options.seeds; ++seed) {
    input.seed = 42 + static_cast<uint64_t>(seed);
    std::vector<double> found = figures(strategy, input, options);
    sums.resize(found.size());
    for (size_t i = 0; i < found.size(); ++i) sums[i] += found[i];
  }
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%s,%s", list.c_str(), strategy.c_str());
  for (double sum : sums) std::printf(",%.2f", 100 * sum / options.seeds);
  std::printf(",%.2f\n", seconds / options.seeds);
  std::fflush(stdout);
}

int run(const Options& options) {
  std::vector<OpenbNode> nodes = read_openb_nodes(options.folder);
  if (nodes.empty()) {
    std::fprintf(stderr, "trellis_packing: %s has no list of nodes\n", options.folder.c_str());
    return 1;
  }
  std::printf(options.steady ? "list,strategy,0.95,1.00,seconds\n"
                             : "list,strategy,80,95,100,110,120,130,seconds\n");
  for (const std::string& list : options.lists) {
    std::vector<OpenbPod> pods = read_openb_pods(options.folder, list);
    if (pods.empty()) {
      std::fprintf(stderr, "trellis_packing: there is no list %s\n", list.c_str());
      return 1;
    }
    for (const std::string& strategy : options.strategies) {
      Config config;
      bool is_bound = strategy == kBound && !options.steady;
      if (!is_bound && !set_strategy(strategy, config)) {
        std::fprintf(stderr, "trellis_packing: there is no strategy %s\n", strategy.c_str());
        return 1;
      }
      report(list, strategy, {config, nodes, pods}, options);
    }
  }
  return 0;
}

}  // namespace
}  // namespace trellis::bench

int main(int count, char** words) {
  trellis::bench::Options options;
  if (!trellis::bench::parse(count, words, options)) {
    std::fputs(trellis::bench::kUsage, stderr);
    return 2;
  }
  return trellis::bench::run(options);
}
