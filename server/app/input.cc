#include "server/app/input.h"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "server/app/console.h"
#include "server/config/config_reader.h"
#include "server/engine/load.h"
#include "server/kube/client/kubeconfig.h"
#include "server/kube/watch/cluster_listing.h"
#include "server/manifest/input_files.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

constexpr size_t kShortListing = 20;

Style style_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return Style::Bad;
    case Severity::Warning:
      return Style::Waiting;
    case Severity::Note:
      return Style::Dim;
  }
  return Style::Plain;
}

// One thread finds the documents for all, so that more than a few wait for it.
int processors() {
  constexpr unsigned kMostUseful = 8;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostUseful));
}

// The actions that make no pod and no workload leave for another.
void keep_allocation(Config& config, Objects& objects) {
  std::erase_if(config.actions,
                [](const std::string& name) { return name != "admit" && name != "allocate"; });
  for (ClusterQueue& queue : objects.cluster_queues) queue.preemption = WorkloadPreemption();
}

}  // namespace

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Listing listing,
                       Console& console) {
  if (listing == Listing::None) return;
  std::map<Severity, size_t> counts;
  for (const Diagnostic& diagnostic : diagnostics) {
    size_t count = ++counts[diagnostic.severity];
    if (count > kShortListing && listing == Listing::Short) continue;
    console.err.write(
        styled(to_string(diagnostic), style_of(diagnostic.severity), console.err_colours) + "\n");
  }
  if (listing != Listing::Short) return;
  for (auto [severity, what] :
       {std::pair(Severity::Error, "errors"), std::pair(Severity::Warning, "warnings")}) {
    if (counts[severity] <= kShortListing) continue;
    console.complain(grouped_text(static_cast<int64_t>(counts[severity] - kShortListing)) +
                     " more " + what + "; 'trellis validate' prints them all");
  }
}

std::optional<Config> load_config(const std::string& file, Console& console) {
  if (file.empty()) return Config();
  ConfigReading reading = read_config(file);
  print_diagnostics(reading.diagnostics, Listing::Whole, console);
  if (reading.has_errors()) return std::nullopt;
  return std::move(reading.config);
}

std::optional<InputTexts> list_live(const InputArguments& input, Console& console) {
  InputTexts texts;
  if (input.kubeconfigs.empty()) return texts;
  Result<ClusterAccess> access = read_kubeconfigs(input.kubeconfigs, input.context);
  Result<ClusterListing> listing =
      access ? list_cluster(std::move(*access)) : error(access.error().message);
  if (!listing) {
    console.complain(listing.error().message);
    return std::nullopt;
  }
  print_diagnostics(listing->diagnostics, Listing::Short, console);
  texts.live = std::move(listing->texts);
  return texts;
}

std::optional<InputTexts> read_once(const InputArguments& input, Console& console) {
  std::optional<InputTexts> texts = list_live(input, console);
  if (!texts || std::ranges::count(input.files, "-") == 0) return texts;
  Result<std::string> text = read_input_file({"-", 0});
  // An error is reported when the files are read.
  if (text) texts->standard_input = *std::move(text);
  return texts;
}

Manifest read_input(const InputArguments& input, const InputTexts& texts, Vocabulary& vocabulary,
                    ReadOptions options, Console& console) {
  options.texts = texts.live;
  options.standard_input = texts.standard_input;
  Progress progress(console, Progress::Clock::now());
  options.levels = input.levels;
  options.threads = input.threads.value_or(processors());
  if (console.err_is_terminal) {
    options.progress = [&](int64_t done, int64_t total) {
      progress.update(done, total, Progress::Clock::now());
    };
  }
  return read_manifest(input.files, vocabulary, options);
}

std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          const LoadOptions& options, Console& console) {
  std::optional<Config> config = load_config(input.config_file, console);
  if (!config) return std::nullopt;

  std::optional<InputTexts> listed;
  if (options.texts == nullptr) {
    listed = list_live(input, console);
    if (!listed) return std::nullopt;
  }
  LoadedCluster loaded;
  loaded.engine = std::make_unique<Engine>(*config);
  ReadOptions read{.keep_raw = options.keep_raw == KeepRaw::Yes, .settings = {}};
  if (!input.config_file.empty()) read.settings = reading_settings(*config);
  Manifest manifest = read_input(input, options.texts != nullptr ? *options.texts : *listed,
                                 loaded.engine->vocabulary(), std::move(read), console);
  print_diagnostics(manifest.diagnostics, options.listing, console);
  loaded.has_errors = manifest.has_errors();
  if (manifest.cycle && input.config_file.empty()) config = manifest.cycle->config;
  if (cycle.actions) config->actions = *cycle.actions;
  if (cycle.only_allocate) keep_allocation(*config, manifest.objects);
  if (*config != loaded.engine->config()) loaded.engine->configure(*config);
  TimeUs newest = manifest.newest_timestamp == kNoTime ? 0 : manifest.newest_timestamp;
  loaded.now = cycle.now.value_or(manifest.cycle ? manifest.cycle->now : newest);
  StringTable& strings = loaded.engine->vocabulary().strings;
  if (options.change && !options.change(manifest.objects, loaded.now, strings)) return std::nullopt;
  loaded.raw = std::move(manifest.raw);
  loaded.workload_owners = std::move(manifest.workload_owners);
  loaded.cycle = manifest.cycle;
  load(*loaded.engine, std::move(manifest));
  return loaded;
}

std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          KeepRaw keep_raw, Console& console) {
  return load_cluster(input, cycle, LoadOptions{.keep_raw = keep_raw}, console);
}

}  // namespace trellis
