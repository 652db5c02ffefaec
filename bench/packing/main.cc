// trellis_packing: how many of the GPUs of the openb trace Trellis uses.
#include <absl/strings/numbers.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/packing/bound.h"
#include "bench/packing/halls.h"
#include "bench/packing/openb.h"
#include "bench/packing/replay.h"

namespace trellis::bench {
namespace {

constexpr const char* kUsage =
    "usage: trellis_packing FOLDER [--list NAME]... [--seeds N] [--first-seed N]\n"
    "                       [--steady [--load PERCENT] [--moved PERCENT]]\n"
    "                       [--strategy binpack|spread|fragmentation|bound]...\n"
    "       trellis_packing --halls [--seeds N] [--first-seed N] [--strategy NAME]...\n"
    "FOLDER has the lists of nodes and pods of the openb trace as CSV files. The figures are GPUs\n"
    "in use in percent: when the requests of the pods that arrived reach 80 to 130 % of all GPUs,\n"
    "or with --steady on average, at loads of 95, 100 and 110 % or at the one given. --moved: so\n"
    "many of the pods that arrive may be moved by defragmentation; what moved is of the last "
    "load.\n"
    "--halls: what small work leaves of whole racks and nodes. Mean of the seeds, 10 by default.\n"
    "The strategy `bound` is none: it is what no placement of the pods that arrived can exceed.\n";

enum class Mode { Arrivals, Steady, Halls };

struct Options {
  std::string folder;
  std::vector<std::string> lists;
  std::vector<std::string> strategies;
  int seeds = 10;
  int first_seed = 42;
  int load_percent = 0;  // 0: several
  int moved_percent = 0;
  Mode mode = Mode::Arrivals;
};

// The number that an option takes, for an option that takes one.
int* number_of(std::string_view word, Options& options) {
  if (word == "--seeds") return &options.seeds;
  if (word == "--first-seed") return &options.first_seed;
  if (word == "--load") return &options.load_percent;
  return word == "--moved" ? &options.moved_percent : nullptr;
}

bool parse(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    bool more = i + 1 < count;
    if (word == "--list" && more) {
      options.lists.emplace_back(words[++i]);
    } else if (word == "--strategy" && more) {
      options.strategies.emplace_back(words[++i]);
    } else if (int* number = number_of(word, options); number != nullptr && more) {
      if (!absl::SimpleAtoi(words[++i], number) || *number < 0) return false;
    } else if (word == "--steady") {
      options.mode = Mode::Steady;
    } else if (word == "--halls") {
      options.mode = Mode::Halls;
    } else if (options.folder.empty() && !word.starts_with("-")) {
      options.folder = word;
    } else {
      return false;
    }
  }
  if (options.lists.empty()) options.lists.assign(std::begin(kOpenbLists), std::end(kOpenbLists));
  if (options.strategies.empty()) options.strategies = {"binpack", "fragmentation"};
  return options.folder.empty() == (options.mode == Mode::Halls) && options.seeds > 0;
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

constexpr double kPercent = 100;

std::vector<int> loads(const Options& options) {
  if (options.load_percent > 0) return {options.load_percent};
  return {95, 100, 110};
}

// At each load, and what moved.
std::vector<double> steady_figures(const PackingInput& input, const Options& options) {
  std::vector<double> found;
  SteadyState state;
  for (int load : loads(options)) {
    state = steady_state(input, load / kPercent);
    found.push_back(kPercent * state.used);
  }
  found.push_back(kPercent * state.moved);
  return found;
}

std::vector<double> figures(const std::string& strategy, const PackingInput& input,
                            const Options& options) {
  if (options.mode == Mode::Steady) return steady_figures(input, options);
  auto used = strategy == kBound ? bound_arrivals(input) : replay_arrivals(input);
  std::vector<double> found(used.begin(), used.end());
  for (double& figure : found) figure *= kPercent;
  return found;
}

// One line: `name`, the mean of the figures of all seeds, and the processor time of a seed.
template <class Figures>
void report(const std::string& name, const Options& options, const Figures& figures_of) {
  std::vector<double> sums;
  std::clock_t begin = std::clock();
  for (int i = 0; i < options.seeds; ++i) {
    std::vector<double> found = figures_of(static_cast<uint64_t>(options.first_seed + i));
    sums.resize(found.size());
    for (size_t at = 0; at < found.size(); ++at) sums[at] += found[at];
  }
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%s", name.c_str());
  for (double sum : sums) std::printf(",%.2f", sum / options.seeds);
  std::printf(",%.2f\n", seconds / options.seeds);
  std::fflush(stdout);
}

bool has_strategies(const Options& options) {
  for (const std::string& strategy : options.strategies) {
    Config config;
    if (strategy == kBound && options.mode == Mode::Arrivals) continue;
    if (set_strategy(strategy, config)) continue;
    std::fprintf(stderr, "trellis_packing: there is no strategy %s\n", strategy.c_str());
    return false;
  }
  return true;
}

void print_head(const Options& options) {
  if (options.mode == Mode::Arrivals) {
    std::printf("list,strategy,80,95,100,110,120,130,seconds\n");
    return;
  }
  std::printf("list,strategy");
  for (int load : loads(options)) std::printf(",%d", load);
  std::printf(",moved,seconds\n");
}

int run_lists(const Options& options) {
  std::vector<OpenbNode> nodes = read_openb_nodes(options.folder);
  if (nodes.empty()) {
    std::fprintf(stderr, "trellis_packing: %s has no list of nodes\n", options.folder.c_str());
    return 1;
  }
  print_head(options);
  for (const std::string& list : options.lists) {
    std::vector<OpenbPod> pods = read_openb_pods(options.folder, list);
    if (pods.empty()) {
      std::fprintf(stderr, "trellis_packing: there is no list %s\n", list.c_str());
      return 1;
    }
    for (const std::string& strategy : options.strategies) {
      PackingInput input{{}, nodes, pods};
      input.moved_part = options.moved_percent / kPercent;
      set_strategy(strategy, input.config);
      report(list + "," + strategy, options, [&](uint64_t seed) {
        input.seed = seed;
        return figures(strategy, input, options);
      });
    }
  }
  return 0;
}

// Halls that are filled once, and halls in which pods come and go.
void run_halls(const Options& options) {
  std::printf("fill,churn,strategy,whole racks,in a rack,in a block,whole nodes,seconds\n");
  for (double fill : {0.6, 0.9}) {
    for (double churn : {0.0, 3.0}) {
      for (const std::string& strategy : options.strategies) {
        HallInput input{{}, fill, churn};
        set_strategy(strategy, input.config);
        std::array<char, 64> name{};
        std::snprintf(name.data(), name.size(), "%.1f,%.0f,%s", fill, churn, strategy.c_str());
        report(name.data(), options, [&](uint64_t seed) {
          input.seed = seed;
          HallRoom room = fill_hall(input);
          return std::vector<double>{room.whole_racks, room.in_rack, room.in_block,
                                     room.whole_nodes};
        });
      }
    }
  }
}

int run(const Options& options) {
  if (!has_strategies(options)) return 1;
  if (options.mode != Mode::Halls) return run_lists(options);
  run_halls(options);
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
