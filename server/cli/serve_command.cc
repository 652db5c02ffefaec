#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/cli/commands.h"
#include "server/cli/input.h"
#include "server/config/config_json.h"
#include "server/config/config_reader.h"
#include "server/log/log.h"
#include "server/serve/service.h"
#include "server/serve/signals.h"
#include "server/version.h"

namespace trellis {
namespace {

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
  log.event(LogLevel::Info, "watching",
            {{"version", kVersion}, {"files", joined(arguments.input.files, " ")}});
  log.event(LogLevel::Info, "listening",
            {{"url", service.url() + "/"}, {"health", service.health_url() + "/healthz"}});
  log_config(log, "configuration", config);
}

void reload(const ServeArguments& arguments, Service& service, Log& log) {
  ConfigReading reading;
  if (!arguments.input.config_file.empty()) reading = read_config(arguments.input.config_file);
  for (const Diagnostic& diagnostic : reading.diagnostics) {
    log.event(LogLevel::Error, "configuration", {{"what", to_string(diagnostic)}});
  }
  if (!reading.diagnostics.empty()) {
    log.event(LogLevel::Error, "configuration has errors, the last one stands",
              {{"file", arguments.input.config_file}});
    return;
  }
  service.configure(reading.config);
  log_config(log, "configuration read again", reading.config);
}

}  // namespace

ExitCode run(const ServeArguments& arguments, Console& console) {
  std::optional<Config> config = load_config(arguments.input.config_file, console);
  if (!config) return kBadInput;
  Signals signals;
  Log log({.format = arguments.log_format, .level = arguments.log_level});
  auto service = Service::start({.files = arguments.input.files,
                                 .config = *config,
                                 .listen = arguments.listen,
                                 .health_listen = arguments.health_listen},
                                log);
  if (!service) {
    console.complain(service.error().message);
    return kFailure;
  }
  log_start(log, arguments, **service, *config);
  while (signals.wait() == Signal::Reload) reload(arguments, **service, log);
  log.event(LogLevel::Info, "ending");
  // A cycle that outlasts our patience has nothing to write that would be missed.
  if (!(*service)->stop()) std::_Exit(kDone);
  // Kept until the process is gone: to give back a large cluster piece by piece takes seconds.
  [[maybe_unused]] static Service* const kept = service->release();
  return kDone;
}

}  // namespace trellis
