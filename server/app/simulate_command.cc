#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/json_writer.h"
#include "server/manifest/input_files.h"
#include "server/simulate/read_trace.h"
#include "server/simulate/sampled_arrivals.h"
#include "server/simulate/simulation.h"
#include "server/simulate/simulation_output.h"
#include "server/simulate/simulation_page.h"
#include "server/simulate/timed_gangs.h"
#include "server/simulate/timed_objects.h"
#include "server/simulate/traced_source.h"
#include "server/system/whole_file.h"

namespace trellis {
namespace {

using Configurations = std::vector<SimulatedConfiguration>;

// What all configurations read.
struct SimulatedInput {
  InputTexts texts;
  std::vector<std::string> files;
  std::vector<TimedObject> timed;
  std::vector<RunTimes> run_times;
  std::vector<TracedGang> trace;
};

std::optional<SimulatedInput> read_simulated(const SimulateArguments& arguments, Console& console) {
  std::optional<InputTexts> texts = read_once(arguments.input, console);
  if (!texts) return std::nullopt;
  SplitInput split = split_timed_objects(arguments.input.files);
  for (const std::string& wrong : split.errors) console.complain(wrong);
  if (!split.errors.empty()) return std::nullopt;
  SimulatedInput input{.texts = *std::move(texts),
                       .files = std::move(split.files),
                       .timed = std::move(split.timed),
                       .run_times = std::move(split.run_times)};
  for (NamedText& text : split.texts) input.texts.live.push_back(std::move(text));
  if (arguments.trace.empty()) return input;
  Result<std::string> text = read_input_file({arguments.trace, 0});
  if (!text) {
    console.complain(arguments.trace + ": " + text.error().message);
    return std::nullopt;
  }
  Result<std::vector<TracedGang>> gangs = read_trace(arguments.trace, *text, arguments.format);
  if (!gangs) {
    console.complain(gangs.error().message);
    return std::nullopt;
  }
  input.trace = *std::move(gangs);
  for (TracedGang& gang : input.trace) {
    if (arguments.expect_durations && gang.expected < 0) gang.expected = gang.duration;
  }
  return input;
}

// "dir/best-fit.yaml" -> "best-fit"; where two have the same name, their whole paths.
std::vector<std::string> names_of(const std::vector<std::string>& configs) {
  if (configs.empty()) return {"default"};
  std::vector<std::string> names;
  for (const std::string& config : configs) {
    names.push_back(std::filesystem::path(config).stem().string());
  }
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  bool twins = std::ranges::adjacent_find(sorted) != sorted.end();
  return twins ? configs : names;
}

// A cluster with its configuration, and the gangs that will come.
struct PreparedSimulation {
  std::string name;
  LoadedCluster loaded;
  std::vector<TracedGang> drawn;  // in place of the trace
  std::unique_ptr<GangSource> source;
  std::vector<TimedChange> changes;
};

// The changes of the cluster, with ids of its vocabulary.
std::vector<TimedChange> read_changes(const InputArguments& arguments, const SimulatedInput& input,
                                      const LoadedCluster& loaded, Console& console) {
  if (input.timed.empty()) return {};
  Vocabulary& vocabulary = loaded.engine->vocabulary();
  auto read = [&](std::span<const NamedText> first) {
    InputTexts texts = input.texts;
    texts.live.insert(texts.live.begin(), first.begin(), first.end());
    ReadOptions options{.settings = reading_settings(loaded.engine->config())};
    return read_input(arguments, texts, vocabulary, std::move(options), console);
  };
  return timed_changes(input.timed, loaded.now, read, vocabulary.strings);
}

std::optional<PreparedSimulation> prepare(const SimulateArguments& arguments,
                                          const SimulatedInput& input, size_t number,
                                          Console& console) {
  InputArguments files = arguments.input;
  if (!arguments.configs.empty()) files.config_file = arguments.configs[number];
  files.files = input.files;
  LoadOptions load{.listing = number == 0 ? Listing::Short : Listing::None, .texts = &input.texts};
  std::unique_ptr<TimedGangs> timed;
  load.change = [&](Objects& objects, TimeUs now, StringTable& strings) {
    if (!arguments.trace.empty()) return true;
    timed = std::make_unique<TimedGangs>(objects, input.run_times, now, strings);
    for (const std::string& wrong : timed->errors()) console.complain(wrong);
    if (timed->size() > 0) return true;
    console.complain("no gang of the input has times: expected annotations " +
                     std::string("trellis.scheduler/duration, or --trace"));
    return false;
  };
  // What is turned away at once moves nothing.
  CycleArguments cycle;
  cycle.only_allocate = arguments.arrive_percent > 0;
  std::optional<LoadedCluster> loaded = load_cluster(files, cycle, load, console);
  if (!loaded) return std::nullopt;
  PreparedSimulation prepared{.loaded = *std::move(loaded)};
  prepared.changes = read_changes(files, input, prepared.loaded, console);
  if (timed) {
    prepared.source = std::move(timed);
    return prepared;
  }
  const Cluster& cluster = prepared.loaded.engine->cluster();
  std::span<const TracedGang> gangs = input.trace;
  if (arguments.arrive_percent > 0) {
    prepared.drawn = sampled_arrivals(gangs, arguments.arrive_percent, arguments.seed, cluster);
    gangs = prepared.drawn;
  }
  Result<TracedSource> source = TracedSource::make(gangs, prepared.loaded.now, cluster);
  if (!source) {
    console.complain(source.error().message);
    return std::nullopt;
  }
  if (source->left_out() > 0 && number == 0) {
    console.complain("warning: gangs whose queue names no partition are left out: " +
                     std::to_string(source->left_out()));
  }
  prepared.source = std::make_unique<TracedSource>(*std::move(source));
  return prepared;
}

// Shows on a terminal how many gangs of all simulations have ended.
class SimulationProgress {
 public:
  SimulationProgress(Console& console, size_t simulations)
      : line_(console, Progress::Clock::now()), done_(simulations) {}

  void update(size_t simulation, size_t done) {
    done_[simulation].store(done, std::memory_order_relaxed);
  }
  void add(size_t gangs) { all_ += gangs; }
  // From one thread.
  void draw() {
    size_t sum = 0;
    for (const std::atomic<size_t>& done : done_) sum += done.load(std::memory_order_relaxed);
    line_.update_gangs(sum, all_, Progress::Clock::now());
  }

 private:
  Progress line_;
  std::vector<std::atomic<size_t>> done_;
  size_t all_ = 0;
};

struct CheckpointError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The file in which one simulation keeps how far it is.
class CheckpointFile {
 public:
  using Clock = std::chrono::steady_clock;

  // `file`: "": nothing is kept.
  CheckpointFile(const std::string& file, size_t simulation)
      : file_(file.empty() || simulation == 0 ? file : file + "." + std::to_string(simulation + 1)),
        written_(Clock::now()) {}

  void restore(Simulation& simulation) const {
    std::error_code ignored;
    if (file_.empty() || !std::filesystem::exists(file_, ignored)) return;
    Result<std::string> text = read_input_file({file_, 0});
    std::string wrong = text ? simulation.restore(*text) : text.error().message;
    if (!wrong.empty()) throw CheckpointError("the checkpoint " + file_ + ": " + wrong);
  }

  void write_if_due(const Simulation& simulation) {
    constexpr std::chrono::seconds kBetween{10};
    if (file_.empty() || Clock::now() - written_ < kBetween) return;
    written_ = Clock::now();
    Result<ReplacedFile> written = ReplacedFile::begin(file_);
    std::optional<Error> failure;
    if (written) {
      written->sink().write(simulation.checkpoint());
      failure = written->finish();
    } else {
      failure = written.error();
    }
    if (failure) throw CheckpointError("cannot write " + file_ + ": " + failure->message);
  }

  void remove() const {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
  }

 private:
  std::string file_;
  Clock::time_point written_;
};

// Runs the simulations, `threads` at a time; the first thread draws the progress.
class SimulationRuns {
 public:
  SimulationRuns(std::vector<PreparedSimulation>& prepared, const SimulateArguments& arguments,
                 Console& console)
      : prepared_(prepared),
        arguments_(arguments),
        done_(prepared.size()),
        progress_(console, prepared.size()) {
    for (const PreparedSimulation& simulation : prepared) progress_.add(simulation.source->size());
  }

  Configurations run(int threads) {
    std::vector<std::jthread> helpers;
    int most = static_cast<int>(std::min<size_t>(prepared_.size(), static_cast<size_t>(threads)));
    for (int i = 1; i < most; ++i) helpers.emplace_back([this] { work(false); });
    work(true);
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(done_);
  }

 private:
  void work(bool draws) {
    for (size_t i = next_++; i < prepared_.size(); i = next_++) {
      try {
        run_one(i, draws);
      } catch (...) {
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
    }
  }

  void run_one(size_t number, bool draws) {
    PreparedSimulation& simulation = prepared_[number];
    Waiting waiting = arguments_.arrive_percent > 0 ? Waiting::Leaves : Waiting::Stays;
    SimulationOptions options{.waiting = waiting, .changes = simulation.changes};
    CheckpointFile file(arguments_.checkpoint_file, number);
    options.progress = [&](const Simulation& running, size_t ended) {
      progress_.update(number, ended);
      if (draws) progress_.draw();
      file.write_if_due(running);
    };
    SimulatedConfiguration& done = done_[number];
    Simulation running(*simulation.loaded.engine, *simulation.source, simulation.loaded.now,
                       std::move(options));
    file.restore(running);
    done.result = running.run();
    done.result.name = simulation.name;
    done.figures = figures_of(done.result);
    simulation.loaded.engine.reset();
  }

  std::vector<PreparedSimulation>& prepared_;
  const SimulateArguments& arguments_;
  Configurations done_;
  SimulationProgress progress_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

// False when the file could not be written; the reason has been printed.
template <class Write>
bool write_file(const std::string& file, Console& console, Write write) {
  if (file.empty()) return true;
  Result<ReplacedFile> written = ReplacedFile::begin(file);
  std::optional<Error> failure;
  if (written) {
    write(written->sink());
    failure = written->finish();
  } else {
    failure = written.error();
  }
  if (failure) console.complain("cannot write " + file + ": " + failure->message);
  return !failure;
}

void print_simulation(const SimulateArguments& arguments, const Configurations& done,
                      Console& console) {
  switch (arguments.output) {
    case SimulationOutput::Table:
      console.print(simulation_table(done, console.form(arguments.width)));
      return;
    case SimulationOutput::JsonText: {
      JsonWriter out(console.out, kRecordDepth);
      write_simulation(out, done);
      return;
    }
    case SimulationOutput::Csv:
      console.out.write(simulation_csv(done));
      return;
    case SimulationOutput::Html:
      write_simulation_page(console.out, done);
      return;
  }
}

int simulation_threads(const SimulateArguments& arguments) {
  constexpr int kMost = 64;
  int processors = static_cast<int>(std::thread::hardware_concurrency());
  return arguments.threads.value_or(std::clamp(processors, 1, kMost));
}

}  // namespace

ExitCode run(const SimulateArguments& arguments, Console& console) {
  std::optional<SimulatedInput> input = read_simulated(arguments, console);
  if (!input) return kBadInput;
  std::vector<PreparedSimulation> prepared;
  std::vector<std::string> names = names_of(arguments.configs);
  bool has_errors = false;
  for (size_t i = 0; i < names.size(); ++i) {
    std::optional<PreparedSimulation> one = prepare(arguments, *input, i, console);
    if (!one) return kBadInput;
    one->name = names[i];
    has_errors = has_errors || one->loaded.has_errors;
    prepared.push_back(*std::move(one));
  }
  Configurations done;
  try {
    done = SimulationRuns(prepared, arguments, console).run(simulation_threads(arguments));
  } catch (const CheckpointError& failure) {
    console.complain(failure.what());
    return kBadInput;
  }
  print_simulation(arguments, done, console);
  bool written =
      write_file(arguments.gangs_file, console, [&](ByteSink& sink) { write_gangs(sink, done); }) &&
      write_file(arguments.series_file, console, [&](ByteSink& sink) { write_series(sink, done); });
  if (!written) return kFailure;
  for (size_t i = 0; i < names.size(); ++i) CheckpointFile(arguments.checkpoint_file, i).remove();
  return has_errors ? kBadInput : kDone;
}

}  // namespace trellis
