// Reads the input of a command, its configuration and its objects, and prints the diagnostics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/config.h"
#include "server/app/arguments.h"
#include "server/app/console.h"
#include "server/engine/engine.h"
#include "server/manifest/manifest.h"

namespace trellis {

// nullopt: the configuration has errors, which have been printed.
std::optional<Config> load_config(const std::string& file, Console& console);

enum class Listing : uint8_t { None, Short, Whole };

// Prints to stderr, one diagnostic a line; Short stops after a few errors and prints how many
// follow.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Listing listing,
                       Console& console);

// What of an input is in memory already.
struct InputTexts {
  std::vector<NamedText> live;                // the objects of the live cluster, if one is named
  std::optional<std::string> standard_input;  // as in ReadOptions
};

// Lists the objects of the live cluster. nullopt: that failed, and the reason has been printed.
std::optional<InputTexts> list_live(const InputArguments& input, Console& console);

// The same, with standard input where a file is "-", for commands that read their input twice.
std::optional<InputTexts> read_once(const InputArguments& input, Console& console);

// Reads the objects; shows the progress on a terminal.
Manifest read_input(const InputArguments& input, const InputTexts& texts, Vocabulary& vocabulary,
                    ReadOptions options, Console& console);

struct LoadedCluster {
  std::unique_ptr<Engine> engine;
  std::vector<RawObject> raw;  // only with KeepRaw::Yes
  std::vector<WorkloadOwnership> workload_owners;
  std::optional<CycleObject> cycle;  // of a saved cluster
  TimeUs now = 0;                    // the time of the first cycle
  bool has_errors = false;
};

enum class KeepRaw : uint8_t { No, Yes };

struct LoadOptions {
  KeepRaw keep_raw = KeepRaw::No;
  Listing listing = Listing::Short;
  const InputTexts* texts = nullptr;  // null: the live cluster is listed now
  // Changes the objects before the cluster is made from them; false: it failed and printed an
  // error. `now`: the time of the first cycle. May be empty.
  std::function<bool(Objects&, TimeUs now, StringTable&)> change = {};
};

// nullopt: the configuration has errors, or `change` failed. Errors in the objects are no
// failure: what could be read is loaded.
std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          const LoadOptions& options, Console& console);
std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          KeepRaw keep_raw, Console& console);

}  // namespace trellis
