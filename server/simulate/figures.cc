#include "server/simulate/figures.h"

#include <algorithm>
#include <cmath>

#include "server/simulate/plain_numbers.h"

namespace trellis {
namespace {

constexpr double kLeastRunSeconds = 10;
constexpr double kSecondsOfHour = 3600;

double part_of_whole(double part, double whole) { return whole > 0 ? part / whole : 0; }

Distribution distribution_of(std::vector<double>& values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  auto at = [&](double part) {
    auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
    return values[std::max<size_t>(rank, 1) - 1];
  };
  double sum = 0;
  for (double value : values) sum += value;
  return {.mean = sum / static_cast<double>(values.size()),
          .p50 = at(0.50),
          .p95 = at(0.95),
          .p99 = at(0.99)};
}

// Collects gangs one by one.
class Collection {
 public:
  void add(const GangResult& gang) {
    ++figures_.gangs;
    figures_.turned_away += gang.turned_away ? 1 : 0;
    figures_.evictions += gang.evictions;
    figures_.lost_gpu_hours += gang.lost_gpu_seconds / kSecondsOfHour;
    if (gang.first_start != kNoTime)
      waits_.push_back(plain_seconds(gang.first_start - gang.arrival));
    if (gang.end == kNoTime) return;
    ++figures_.finished;
    double completion = plain_seconds(gang.end - gang.arrival);
    double run = plain_seconds(gang.duration);
    completions_.push_back(completion);
    slowdowns_.push_back(std::max(1.0, completion / std::max(run, kLeastRunSeconds)));
    figures_.gpu_hours += plain_gpus(gang.gpu_milli) * run / kSecondsOfHour;
  }

  GangFigures take() {
    figures_.wait_seconds = distribution_of(waits_);
    figures_.completion_seconds = distribution_of(completions_);
    figures_.bounded_slowdown = distribution_of(slowdowns_);
    return figures_;
  }

 private:
  GangFigures figures_;
  std::vector<double> waits_;
  std::vector<double> completions_;
  std::vector<double> slowdowns_;
};

double fairness_of(const std::vector<SimulatedQueue>& queues) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const SimulatedQueue& queue : queues) {
    double slowdown = queue.figures.bounded_slowdown.mean;
    if (slowdown == 0) continue;
    sum += slowdown;
    squares += slowdown * slowdown;
    ++count;
  }
  return count > 0 ? sum * sum / (count * squares) : 1;
}

double makespan_of(const SimulationResult& result) {
  TimeUs last = kNoTime;
  for (const GangResult& gang : result.gangs) last = std::max(last, gang.end);
  return last == kNoTime ? 0 : plain_seconds(last - result.gangs.front().arrival);
}

double stranded_of(const SimulationResult& result) {
  double stranded = 0;
  double all = 0;
  for (const Sample& sample : result.samples) {
    stranded += static_cast<double>(sample.stranded_gpu_milli);
    all += static_cast<double>(sample.all_gpu_milli);
  }
  return part_of_whole(stranded, all);
}

}  // namespace

SimulationFigures figures_of(const SimulationResult& result) {
  SimulationFigures figures;
  Collection all;
  std::vector<Collection> queues(result.queues.size());
  for (const GangResult& gang : result.gangs) {
    all.add(gang);
    figures.domains += static_cast<int64_t>(gang.domains.size());
    figures.fewest_domains += gang.fewest_domains;
    if (gang.queue.empty()) continue;
    auto found = std::ranges::lower_bound(result.queues, gang.queue);
    queues[static_cast<size_t>(found - result.queues.begin())].add(gang);
  }
  figures.all = all.take();
  for (size_t i = 0; i < queues.size(); ++i) {
    figures.queues.push_back({result.queues[i], queues[i].take()});
  }
  figures.gpu_utilization = part_of_whole(result.used_gpu_seconds, result.all_gpu_seconds);
  figures.stranded = stranded_of(result);
  figures.makespan_seconds = makespan_of(result);
  figures.fairness = fairness_of(figures.queues);
  return figures;
}

}  // namespace trellis
