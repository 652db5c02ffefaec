#include "server/app/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "server/app/command_line.h"
#include "server/app/unknown_word.h"
#include "server/config/known_names.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kDefaultListen = "127.0.0.1:8080";

// Decodes what CommandLine took as text. The first thing that is wrong stays in error().
class Decoder {
 public:
  const std::string& error() const { return error_; }

  OutputFormat output(const std::string& word, const Words& allowed) {
    constexpr std::array<std::pair<std::string_view, OutputFormat>, 5> formats = {
        {{"table", OutputFormat::Table},
         {"json", OutputFormat::Json},
         {"yaml", OutputFormat::Yaml},
         {"tree", OutputFormat::Tree},
         {"text", OutputFormat::Text}}};
    std::string_view chosen = word.empty() ? allowed.front() : word;
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end()) {
      fail(unknown_word("format", word, allowed));
    }
    for (const auto& [name, format] : formats) {
      if (name == chosen) return format;
    }
    return OutputFormat::Text;
  }

  CycleArguments cycle(const CycleWords& words) {
    CycleArguments cycle;
    if (words.actions) cycle.actions = actions(*words.actions);
    if (!words.cycles.empty()) cycle.cycles = cycles(words.cycles);
    if (!words.now.empty()) {
      cycle.now = parse_timestamp(words.now);
      if (!cycle.now) fail("--now: " + words.now + " is no time such as 2026-01-01T12:00:00Z");
    }
    return cycle;
  }

  ListenAddress listen(const std::string& option, std::string_view text) {
    auto address = parse_listen(text);
    if (address) return *address;
    fail(option + ": " + address.error().message);
    return {};
  }

  LogFormat log_format(const std::string& word) {
    const Words words = {"text", "json"};
    if (word.empty() || word == "text") return LogFormat::Text;
    if (word != "json") fail("--log-format: " + unknown_word("format", word, words));
    return LogFormat::JsonLines;
  }

  LogLevel log_level(const std::string& word) {
    const Words words = {"debug", "info", "warn", "error"};
    constexpr LogLevel levels[] = {LogLevel::Debug, LogLevel::Info, LogLevel::Warn,
                                   LogLevel::Error};
    if (word.empty()) return LogLevel::Info;
    auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return levels[found - words.begin()];
    fail("--log-level: " + unknown_word("level", word, words));
    return LogLevel::Info;
  }

  void changes(const CommandLine& line) {
    if (line.added.empty() && line.cordons.empty() && line.removed.empty()) {
      fail("whatif changes nothing: give --add, --cordon or --remove");
    }
    for (const std::string& word : line.removed) {
      std::vector<std::string> parts = split(word);
      bool empty = std::find(parts.begin(), parts.end(), "") != parts.end();
      bool known = parts.front() == "gang" || parts.front() == "workload";
      if (parts.size() == 3 && known && !empty) continue;
      fail("--remove takes gang/NAMESPACE/NAME or workload/NAMESPACE/NAME, not " + word);
    }
    for (const std::string& word : line.cordons) {
      std::vector<std::string> parts = split(word);
      if (std::find(parts.begin(), parts.end(), "") == parts.end()) continue;
      fail("--cordon takes NODE or TOPOLOGY/PATH, not " + word);
    }
  }

  // Where `serve` reads its objects.
  void source(const CommandLine& line) {
    int sources = (line.files.empty() ? 0 : 1) + (line.kubeconfig.empty() ? 0 : 1) +
                  (line.in_cluster ? 1 : 0);
    if (sources == 0) {
      return fail("no input was named: expected -f FILE, --kubeconfig FILE or --in-cluster");
    }
    if (sources > 1) return fail("-f, --kubeconfig and --in-cluster: expected one of them");
    if (!line.context.empty() && line.kubeconfig.empty()) fail("--context needs --kubeconfig");
    bool live = line.files.empty();
    if (!live && line.dry_run) fail("--dry-run needs --kubeconfig or --in-cluster");
    for (const std::string& name : line.scheduler_names) {
      if (name.empty()) fail("--scheduler-name: expected a name");
    }
  }

  BindPolicy binds(const CommandLine& line) {
    BindPolicy policy;
    bool writes = line.files.empty() && !line.dry_run;
    if (!writes && !line.on_failed_bind.empty()) {
      fail("--on-failed-bind needs a live cluster, and no --dry-run");
    }
    if (!writes && line.delete_evicted) {
      fail("--delete-evicted needs a live cluster, and no --dry-run");
    }
    if (!writes && line.create_pod_groups) {
      fail("--create-pod-groups needs a live cluster, and no --dry-run");
    }
    if (!writes && line.gpu_fraction_binder) {
      fail("--gpu-fraction-binder needs a live cluster, and no --dry-run");
    }
    constexpr std::array<std::string_view, 2> words = {"refill", "evict"};
    const std::string& word = line.on_failed_bind;
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
      fail("--on-failed-bind: " + unknown_word("policy", word, words));
    }
    if (word == "evict") policy.on_failed = OnFailedBind::Evict;
    if (line.delete_evicted) policy.removal = Removal::Delete;
    return policy;
  }

  std::optional<Shard> shard(const CommandLine& line) {
    if (!line.node_pool_label) return std::nullopt;
    if (!line.files.empty()) fail("--node-pool-label needs --kubeconfig or --in-cluster");
    Result<Shard> shard = parse_shard(*line.node_pool_label);
    if (shard) return *shard;
    fail("--node-pool-label: " + shard.error().message);
    return std::nullopt;
  }

  ElectionArguments election(const CommandLine& line) {
    bool live = line.files.empty();
    ElectionArguments election{.stands = line.leader_elect.value_or(live && !line.dry_run),
                               .lease_name = line.lease_name,
                               .lease_namespace = line.lease_namespace};
    if (!live && election.stands) fail("--leader-elect needs --kubeconfig or --in-cluster");
    bool named = !line.lease_name.empty() || !line.lease_namespace.empty();
    if (named && !election.stands) fail("--lease-name and --lease-namespace need --leader-elect");
    return election;
  }

  void target(const std::string& word, ExplainQuestion& question) {
    using Kind = ExplainQuestion::Kind;
    constexpr std::array<std::string_view, 6> kinds = {"pod",  "gang",   "workload",
                                                       "node", "domain", "queue"};
    constexpr std::string_view expected =
        "explain takes pod/NAMESPACE/NAME, gang/NAMESPACE/NAME, workload/NAMESPACE/NAME, "
        "node/NAME, queue/NAME or domain/TOPOLOGY/PATH, not ";
    std::vector<std::string> parts = split(word);
    auto kind = std::find(kinds.begin(), kinds.end(), parts.front());
    if (kind == kinds.end()) {
      std::string message = unknown_word("kind", parts.front(), kinds);
      message += message.ends_with('?') ? " " : "; ";
      return fail(message + std::string(expected) + word);
    }
    question.kind = static_cast<Kind>(kind - kinds.begin());
    bool namespaced = question.kind == Kind::Pod || question.kind == Kind::Gang ||
                      question.kind == Kind::Workload;
    bool right =
        question.kind == Kind::Domain ? parts.size() >= 2 : parts.size() == (namespaced ? 3U : 2U);
    bool empty = std::find(parts.begin(), parts.end(), "") != parts.end();
    if (!right || empty) {
      std::string message = std::string(expected) + word;
      if (namespaced && !empty && parts.size() == 2) {
        message.append(": did you mean ").append(*kind).append("/default/").append(parts[1]) += '?';
      }
      return fail(std::move(message));
    }
    if (namespaced) question.name_space = parts[1];
    question.name = namespaced ? parts[2] : parts[1];
    if (question.kind == Kind::Domain) question.path.assign(parts.begin() + 2, parts.end());
  }

 private:
  // At the slashes; one part at the least.
  static std::vector<std::string> split(std::string_view word) {
    std::vector<std::string> parts;
    for (size_t slash = word.find('/'); slash != std::string_view::npos; slash = word.find('/')) {
      parts.emplace_back(word.substr(0, slash));
      word.remove_prefix(slash + 1);
    }
    parts.emplace_back(word);
    return parts;
  }

  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  // `a,b`; an empty text means none.
  std::vector<std::string> actions(std::string_view text) {
    std::vector<std::string> names;
    Words known = known_actions();
    while (!text.empty()) {
      std::string_view name = text.substr(0, text.find(','));
      text.remove_prefix(std::min(text.size(), name.size() + 1));
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail("--actions: " + unknown_word("action", name, known));
      } else if (std::find(names.begin(), names.end(), name) != names.end()) {
        fail("--actions: " + std::string(name) + " stands there twice");
      }
      names.emplace_back(name);
    }
    return names;
  }

  int64_t cycles(const std::string& text) {
    int64_t count = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || end != text.data() + text.size() || count < 1) {
      fail("--cycles: " + text + " is no number of cycles: expected 1 or more");
    }
    return count;
  }

  std::string error_;
};

Command decode(const CommandLine& line, Decoder& decoder) {
  const std::string& name = line.command();
  InputArguments input{line.files, line.config_file};
  if (name == "schedule") {
    return ScheduleArguments{input, decoder.cycle(line.cycle), line.save_file,
                             line.fail_unscheduled,
                             decoder.output(line.output, {"table", "json", "yaml", "tree"})};
  }
  if (name == "topology") {
    return TopologyArguments{input, line.topology_name,
                             decoder.output(line.output, {"tree", "json", "yaml"})};
  }
  if (name == "queues") {
    return QueuesArguments{input, decoder.output(line.output, {"table", "json", "yaml"})};
  }
  if (name == "explain") {
    ExplainArguments explain{.input = input, .cycle = decoder.cycle(line.cycle)};
    decoder.target(line.explain_target, explain.question);
    explain.output = decoder.output(line.output, {"text", "json", "yaml"});
    return explain;
  }
  if (name == "whatif") {
    decoder.changes(line);
    return WhatifArguments{input,        decoder.cycle(line.cycle),
                           line.added,   line.cordons,
                           line.removed, decoder.output(line.output, {"table", "json", "yaml"})};
  }
  if (name == "serve") {
    ServeArguments serve{.input = input,
                         .cluster = {line.kubeconfig, line.context, line.in_cluster, std::nullopt},
                         .election = {},
                         .scheduler_names = line.scheduler_names};
    decoder.source(line);
    serve.dry_run = line.dry_run;
    serve.binds = decoder.binds(line);
    serve.create_pod_groups = line.create_pod_groups;
    serve.gpu_fraction_binder = line.gpu_fraction_binder;
    serve.cluster.shard = decoder.shard(line);
    serve.election = decoder.election(line);
    serve.listen = decoder.listen("--listen", line.listen.empty() ? kDefaultListen : line.listen);
    if (!line.health_listen.empty()) {
      serve.health_listen = decoder.listen("--health-listen", line.health_listen);
    }
    if (!line.metrics_listen.empty()) {
      serve.metrics_listen = decoder.listen("--metrics-listen", line.metrics_listen);
    }
    serve.log_format = decoder.log_format(line.log_format);
    serve.log_level = decoder.log_level(line.log_level);
    return serve;
  }
  if (name == "validate") return ValidateArguments{input};
  if (name == "config") return ConfigPrintArguments{line.config_file};
  return VersionArguments{};
}

// `help COMMAND` is `COMMAND --help`.
std::vector<std::string> without_help(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& words) {
  CommandLine line;
  Arguments result;
  switch (line.parse(without_help(words))) {
    case CommandLine::Outcome::Help:
      result.help = line.help();
      return result;
    case CommandLine::Outcome::Version:
      result.command = VersionArguments{};
      return result;
    case CommandLine::Outcome::Wrong:
      result.error = line.error();
      return result;
    case CommandLine::Outcome::Good:
      break;
  }
  Decoder decoder;
  Command command = decode(line, decoder);
  if (decoder.error().empty()) {
    result.command = std::move(command);
  } else {
    result.error = decoder.error() + "\nSee 'trellis " + line.command() + " --help'.";
  }
  return result;
}

}  // namespace trellis
