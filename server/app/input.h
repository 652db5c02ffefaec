// What a command works on: configuration and objects, read, with what was wrong already said.
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

// nullopt: it has errors, which have been printed.
std::optional<Config> load_config(const std::string& file, Console& console);

enum class Listing : uint8_t { None, Short, Whole };

// On stderr, one a line; Short stops after a few errors and says how many follow.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Listing listing,
                       Console& console);

// Reads with progress on a terminal.
Manifest read_input(const InputArguments& input, Vocabulary& vocabulary, ReadOptions options,
                    Console& console);

struct LoadedCluster {
  std::unique_ptr<Engine> engine;
  std::vector<RawObject> raw;  // only when asked for
  std::vector<WorkloadOwnership> workload_owners;
  std::optional<CycleObject> cycle;  // of a saved one
  TimeUs now = 0;                    // of the first cycle
  bool has_errors = false;
};

enum class KeepRaw : uint8_t { No, Yes };

struct LoadOptions {
  KeepRaw keep_raw = KeepRaw::No;
  Listing listing = Listing::Short;
  std::optional<std::string> standard_input = {};  // as ReadOptions has it
  // Changes what was read before the cluster is made of it; false: it could not, and said so. May
  // be empty.
  std::function<bool(Objects&, const StringTable&)> change = {};
};

// nullopt: the configuration has errors, or `change` failed. Errors in the objects leave the good
// rest to work on.
std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          const LoadOptions& load, Console& console);
std::optional<LoadedCluster> load_cluster(const InputArguments& input, const CycleArguments& cycle,
                                          KeepRaw keep_raw, Console& console);

}  // namespace trellis
