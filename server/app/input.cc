#include "server/app/input.h"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "server/app/console.h"
#include "server/config/config_reader.h"
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
                                          const LoadOptions& load, Console& console) {
  std::optional<Config> config = load_config(input.config_file, console);
  if (!config) return std::nullopt;

  std::optional<InputTexts> listed;
  if (load.texts == nullptr) {
    listed = list_live(input, console);
    if (!listed) return std::nullopt;
  }
  LoadedCluster loaded;
  loaded.engine = std::make_unique<Engine>(*config);
  ReadOptions options{.keep_raw = load.keep_raw == KeepRaw::Yes, .settings = {}};
  if (!input.config_file.empty()) options.settings = reading_settings(*config);
  Manifest manifest = read_input(input, load.texts != nullptr ? *load.texts : *listed,
                                 loaded.engine->vocabulary(), std::move(options), console);
  print_diagnostics(manifest.diagnostics, load.listing, console);
  loaded.has_errors = manifest.has_errors();
  if (manifest.cycle && input.config_file.empty()) config = manifest.cycle->config;
  if (cycle.actions) config->actions = *cycle.actions;
  if (cycle.only_allocate) keep_allocation(*config, manifest.objects);
  if (*config != loaded.engine->config()) loaded.engine->configure(*config);
  if (manifest.cycle) loaded.engine->scheduler().recall(manifest.cycle->learned);
  TimeUs newest = manifest.newest_timestamp == kNoTime ? 0 : manifest.newest_timestamp;
  loaded.now = cycle.now.value_or(manifest.cycle ? manifest.cycle->now : newest);
  StringTable& strings = loaded.engine->vocabulary().strings;
  if (load.change && !load.change(manifest.objects, loaded.now, strings)) return std::nullopt;
  loaded.engine->cluster().add(std::move(manifest.objects));
  if (manifest.cycle) loaded.engine->cluster().set_moved_gpus(manifest.cycle->moved_gpus);
  loaded.raw = std::move(manifest.raw);
  loaded.workload_owners = std::move(manifest.workload_owners);
  loaded.cycle = std::move(manifest.cycle);
  return loaded;
}

std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          KeepRaw keep_raw, Console& console) {
  return load_cluster(input, cycle, LoadOptions{.keep_raw = keep_raw}, console);
}

}  // namespace trellis
