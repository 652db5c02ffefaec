#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/app/number_watch.h"
#include "server/app/service.h"
#include "server/app/signals.h"
#include "server/app/way_to_serve.h"
#include "server/config/config_json.h"
#include "server/config/config_reader.h"
#include "server/kube/client/cluster_access.h"
#include "server/kube/client/kubeconfig.h"
#include "server/kube/lead/elector.h"
#include "server/kube/lead/lease.h"
#include "server/kube/watch/cluster_watch.h"
#include "server/kube/watch/kube_source.h"
#include "server/log/log.h"
#include "server/manifest/input_files.h"
#include "server/sources/file_source.h"
#include "server/system/process.h"
#include "server/version.h"

namespace trellis {
namespace {

// The schedulerName of our pods in a live cluster, unless the configuration has others.
constexpr std::string_view kLiveSchedulerName = "trellis";

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

void log_config(Log& log, std::string_view event, const Config& config) {
  std::vector<std::string> differences = config_differences(config);
  log.event(LogLevel::Info, event,
            {{"differs", differences.empty() ? "nothing" : joined(differences, ", ")}});
}

void log_start(Log& log, const ServeArguments& arguments, const Service& service,
               const Config& config) {
  if (!arguments.cluster.live()) {
    log.event(LogLevel::Info, "watching",
              {{"version", kVersion}, {"files", joined(arguments.input.files, " ")}});
  }
  log.event(LogLevel::Info, "listening",
            {{"url", service.url() + "/"},
             {"health", service.health_url() + "/healthz"},
             {"metrics", service.metrics_url() + "/metrics"}});
  log_config(log, "configuration", config);
}

// The scheduler names of our pods: from the command line, else from the configuration.
void take_scheduler_names(const ServeArguments& arguments, Config& config) {
  if (!arguments.scheduler_names.empty()) config.scheduler_names = arguments.scheduler_names;
  // In a live cluster the other pods belong to other schedulers.
  if (arguments.cluster.live() && config.scheduler_names.empty()) {
    config.scheduler_names = {std::string(kLiveSchedulerName)};
  }
}

Result<ClusterAccess> find_cluster(const ClusterArguments& cluster) {
  if (cluster.in_cluster)
    return in_cluster_access([](const char* name) { return std::getenv(name); });
  return read_kubeconfigs(cluster.kubeconfigs, cluster.context);
}

void log_cluster(Log& log, const ClusterAccess& access, const ServeArguments& arguments,
                 const Config& config) {
  log.event(LogLevel::Info, "watching",
            {{"version", kVersion},
             {"server", access.server.authority()},
             {"context", access.context},
             {"schedulers", joined(config.scheduler_names, " ")}});
  if (arguments.dry_run) {
    log.event(LogLevel::Info, "dry run: decisions are shown, nothing is written to the cluster");
  }
  if (!access.server.tls) {
    log.event(LogLevel::Warn,
              "the server is spoken to without TLS: every machine on the way can read it");
  } else if (!access.verify) {
    log.event(LogLevel::Warn,
              "insecure-skip-tls-verify: the kubeconfig trusts any server that answers");
  }
}

// Null: there is no election.
std::shared_ptr<Elector> stand_for_election(const ServeArguments& arguments,
                                            std::shared_ptr<Credentials> credentials, Log& log) {
  if (!arguments.election.stands) return nullptr;
  const std::optional<Shard>& shard = arguments.cluster.shard;
  Election::Options options{.name_space = arguments.election.lease_namespace,
                            .name = arguments.election.lease_name,
                            .identity = Elector::identity(),
                            .seed = std::random_device()()};
  if (options.name_space.empty()) options.name_space = lease_namespace();
  if (options.name.empty()) options.name = lease_name(shard ? shard->value : "");
  log.event(LogLevel::Info, "standing for election",
            {{"lease", options.name_space + "/" + options.name}, {"identity", options.identity}});
  return std::make_shared<Elector>(std::move(options), std::move(credentials), log);
}

// A path that is mistyped must not look like an empty cluster.
bool paths_exist(const std::vector<std::string>& paths, Console& console) {
  std::vector<Diagnostic> faults;
  find_input_files(paths, faults);
  for (const Diagnostic& fault : faults) console.complain(to_string(fault));
  return faults.empty();
}

void log_gone(Log& log, const GoneFiles& gone) {
  std::string objects;
  for (const auto& [kind, count] : gone.objects) {
    if (!objects.empty()) objects += ", ";
    objects += std::to_string(count) + " " + std::string(kind);
  }
  log.event(LogLevel::Warn, "files are gone",
            {{"files", joined(gone.files, " ")},
             {"gone with them", objects.empty() ? "nothing" : objects}});
}

// nullopt: an input is missing, or the access to the cluster could not be determined; the reason
// has been printed.
std::optional<WayToServe> choose_way(const ServeArguments& arguments, const Config& config,
                                     Log& log, Console& console) {
  if (!arguments.cluster.live()) {
    if (!paths_exist(arguments.input.files, console)) return std::nullopt;
    return ServeFiles{
        .source = std::make_unique<FileSource>(
            arguments.input.files, [&log](const GoneFiles& gone) { log_gone(log, gone); })};
  }
  Result<ClusterAccess> access = find_cluster(arguments.cluster);
  if (!access) {
    console.complain(access.error().message);
    return std::nullopt;
  }
  log_cluster(log, *access, arguments, config);
  auto watch = std::make_shared<ClusterWatch>(std::move(*access), std::random_device()(), log);
  bool held = !arguments.dry_run && !arguments.gpu_fraction_binder;
  auto source = std::make_unique<KubeSource>(
      watch,
      KubeSource::Options{.mode = arguments.dry_run ? ExecutionMode::DryRun : ExecutionMode::Assume,
                          .shard = arguments.cluster.shard,
                          .gpu_fractions = held ? GpuFractions::Held : GpuFractions::Placed});
  LiveCluster cluster{.watch = watch,
                      .elector = stand_for_election(arguments, watch->credentials(), log)};
  if (arguments.dry_run) {
    return ServeBeside{.source = std::move(source), .cluster = std::move(cluster)};
  }
  LiveWrites writes = start_writing(watch, arguments.binds, leads_of(cluster.elector), log);
  return ServeCluster{.source = std::move(source),
                      .cluster = std::move(cluster),
                      .sink = std::move(writes.sink),
                      .writes = std::move(writes.pool),
                      .create_pod_groups = arguments.create_pod_groups};
}

// Leaves `config` as it is where the new one has errors.
void reload(const ServeArguments& arguments, Service& service, Config& config, Log& log) {
  ConfigReading reading;
  if (!arguments.input.config_file.empty()) reading = read_config(arguments.input.config_file);
  for (const Diagnostic& diagnostic : reading.diagnostics) {
    bool error = diagnostic.severity == Severity::Error;
    LogLevel level = error ? LogLevel::Error : LogLevel::Warn;
    log.event(level, "configuration", {{"what", to_string(diagnostic)}});
  }
  if (reading.has_errors()) {
    log.event(LogLevel::Error, "configuration has errors, the last one stands",
              {{"file", arguments.input.config_file}});
    return;
  }
  take_scheduler_names(arguments, reading.config);
  config = std::move(reading.config);
  service.configure(config);
  log_config(log, "configuration read again", config);
}

// Of files that change together none counts before all are good.
void take_numbers(const NodeNumberReading& reading, Service& service, Config& config, Log& log) {
  for (const Diagnostic& diagnostic : reading.diagnostics) {
    log.event(LogLevel::Error, "numbers of nodes", {{"what", to_string(diagnostic)}});
  }
  if (!reading.diagnostics.empty()) {
    log.event(LogLevel::Error, "numbers of nodes have errors, the last ones stand");
    return;
  }
  if (reading.numbers == config.node_numbers) return;
  config.node_numbers = reading.numbers;
  service.configure(config);
  log.event(LogLevel::Info, "numbers of nodes read again");
}

// Returns when the service is to end.
void follow(const ServeArguments& arguments, Signals& signals, Service& service, Config& config,
            Log& log) {
  NumberWatch numbers(arguments.input.config_file, config);
  while (true) {
    std::optional<Signal> signal = signals.wait_a_second();
    if (signal == Signal::Terminate) return;
    if (signal == Signal::Reload) {
      reload(arguments, service, config, log);
      numbers.follow(config);
    } else if (auto changed = numbers.poll(config)) {
      take_numbers(*changed, service, config, log);
    }
  }
}

}  // namespace

ExitCode run(const ServeArguments& arguments, Console& console) {
  share_heaps();
  std::optional<Config> config = load_config(arguments.input.config_file, console);
  if (!config) return kBadInput;
  take_scheduler_names(arguments, *config);
  Signals signals;
  Log log({.format = arguments.log_format, .level = arguments.log_level});
  std::optional<WayToServe> way = choose_way(arguments, *config, log, console);
  if (!way) return kBadInput;
  auto service = Service::start(std::move(*way),
                                {.config = *config,
                                 .listen = arguments.listen,
                                 .health_listen = arguments.health_listen,
                                 .metrics_listen = arguments.metrics_listen},
                                log);
  if (!service) {
    console.complain(service.error().message);
    return kFailure;
  }
  log_start(log, arguments, **service, *config);
  follow(arguments, signals, **service, *config, log);
  log.event(LogLevel::Info, "ending");
  // A cycle that still runs has nothing to write that would be lost, and neither has a watch, which
  // may be waiting for an answer.
  if (!(*service)->stop() || arguments.cluster.live()) std::_Exit(kDone);
  // Never destroyed, since freeing a large cluster object by object takes seconds.
  [[maybe_unused]] static Service* const kept = service->release();
  return kDone;
}

}  // namespace trellis
