// The options of `serve`.

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/app/command_line.h"
#include "server/app/help_texts.h"
#include "server/app/option_values.h"

namespace trellis {
namespace {

constexpr const char* kDefaultListen = "127.0.0.1:8080";

constexpr std::pair<std::string_view, OnFailedBind> kOnFailed[] = {{"refill", OnFailedBind::Refill},
                                                                   {"evict", OnFailedBind::Evict}};
constexpr std::pair<std::string_view, LogFormat> kLogFormats[] = {{"text", LogFormat::Text},
                                                                  {"json", LogFormat::JsonLines}};
constexpr std::pair<std::string_view, LogLevel> kLogLevels[] = {{"debug", LogLevel::Debug},
                                                                {"info", LogLevel::Info},
                                                                {"warn", LogLevel::Warn},
                                                                {"error", LogLevel::Error}};

}  // namespace

void CommandLine::add_serve() {
  CLI::App* command = add_command("serve",
                                  "Schedule as a service, on an embedded cluster or beside a\n"
                                  "live one, and show it over HTTP",
                                  kServeDetails);
  add_source(command);
  add_binding(command);
  add_sharing(command);
  add_listening(command);
  take(command, serve_, [this, command](ServeArguments&) { check_serve(*command); });
}

void CommandLine::add_source(CLI::App* command) {
  add_files(command, serve_.input);
  add_kubeconfig(command, serve_.cluster.kubeconfigs, serve_.cluster.context);
  command->add_flag("--in-cluster", serve_.cluster.in_cluster,
                    "The live cluster that this runs in, as a pod");
}

void CommandLine::add_binding(CLI::App* command) {
  command
      ->add_option_function<std::string>(
          "--on-failed-bind",
          [this](const std::string& word) {
            serve_.binds.on_failed = read_choice("--on-failed-bind: ", "policy", word, kOnFailed);
          },
          "What becomes of a gang below its minimum because a\n"
          "bind failed for good: it is refilled, or evicted\n"
          "(refill)")
      ->type_name("refill|evict");
  command->add_flag_callback(
      "--delete-evicted", [this] { serve_.binds.removal = Removal::Delete; },
      "Delete pods instead of evicting them, whatever their\n"
      "PodDisruptionBudgets say");
  command->add_flag("--create-pod-groups", serve_.create_pod_groups,
                    "Write a PodGroup for each gang that an owner's pods\n"
                    "form, so that other programs see it");
  command->add_flag("--gpu-fraction-binder", serve_.gpu_fraction_binder,
                    "A program prepares parts of GPUs on the nodes, so that\n"
                    "pods which ask for them are bound, not held");
  command->add_flag("--dry-run", serve_.dry_run,
                    "Decide and show, and write nothing to a live cluster");
  command
      ->add_option("--scheduler-name", serve_.scheduler_names,
                   "Whose pods to decide about, instead of the configured\n"
                   "schedulerNames (live: trellis). May be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

// How several of them serve one cluster.
void CommandLine::add_sharing(CLI::App* command) {
  command->add_flag_function(
      "--leader-elect", [this](int64_t said) { leader_elect_ = said > 0; },
      "Write only while leading, by a Lease (on, but not with\n"
      "--dry-run; --leader-elect=false: off)");
  command
      ->add_option("--lease-name", serve_.election.lease_name,
                   "That Lease (trellis; of a shard trellis-VALUE)")
      ->type_name("NAME");
  command
      ->add_option("--lease-namespace", serve_.election.lease_namespace,
                   "Where it is (that of the own pod, else kube-system)")
      ->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--node-pool-label",
          [this](const std::string& text) { serve_.cluster.shard = read_shard(text); },
          "Only the shard of nodes, queues and gangs that bear this\n"
          "label; without a value: that do not bear it")
      ->type_name("KEY[=VALUE]");
}

void CommandLine::add_listening(CLI::App* command) {
  serve_.listen = read_listen("--listen", kDefaultListen);
  auto add = [command](const char* option, auto& place, const char* what) {
    command
        ->add_option_function<std::string>(
            option,
            [option, &place](const std::string& text) { place = read_listen(option, text); }, what)
        ->type_name("ADDRESS:PORT");
  };
  add("--listen", serve_.listen, "Where to answer (127.0.0.1:8080; port 0: any that is\nfree)");
  add("--health-listen", serve_.health_listen,
      "Where to answer /healthz and /readyz besides, whatever\nhappens there");
  add("--metrics-listen", serve_.metrics_listen,
      "Where to answer /metrics besides, and nothing else");
  command
      ->add_option_function<std::string>(
          "--log-format",
          [this](const std::string& word) {
            serve_.log_format = read_choice("--log-format: ", "format", word, kLogFormats);
          },
          "How to log, to stderr (text)")
      ->type_name("text|json");
  command
      ->add_option_function<std::string>(
          "--log-level",
          [this](const std::string& word) {
            serve_.log_level = read_choice("--log-level: ", "level", word, kLogLevels);
          },
          "What to log (info)")
      ->type_name("debug|info|warn|error");
}

// What options of `serve` need of each other. Settles whether it stands for election.
void CommandLine::check_serve(const CLI::App& command) {
  ClusterArguments& cluster = serve_.cluster;
  bool live = serve_.input.files.empty();
  // No cluster is scheduled because it is the current one.
  bool implied = live && !cluster.in_cluster && serve_.dry_run;
  if (implied && cluster.kubeconfigs.empty()) cluster.kubeconfigs = caller_.kubeconfigs;
  int sources =
      (live ? 0 : 1) + (cluster.kubeconfigs.empty() ? 0 : 1) + (cluster.in_cluster ? 1 : 0);
  if (sources == 0) {
    refuse("no input was named: expected -f FILE, --kubeconfig FILE or --in-cluster");
  }
  if (sources > 1) refuse("-f, --kubeconfig and --in-cluster: expected one of them");
  if (!cluster.context.empty() && cluster.kubeconfigs.empty()) {
    refuse("--context needs --kubeconfig");
  }
  if (!live && serve_.dry_run) refuse("--dry-run needs --kubeconfig or --in-cluster");
  if (std::ranges::count(serve_.scheduler_names, "") > 0) {
    refuse("--scheduler-name: expected a name");
  }
  for (std::string option :
       {"--on-failed-bind", "--delete-evicted", "--create-pod-groups", "--gpu-fraction-binder"}) {
    bool writes = live && !serve_.dry_run;
    if (!writes && command.count(option) > 0) {
      refuse(option + " needs a live cluster, and no --dry-run");
    }
  }
  if (!live && cluster.shard) refuse("--node-pool-label needs --kubeconfig or --in-cluster");
  ElectionArguments& election = serve_.election;
  election.stands = leader_elect_.value_or(live && !serve_.dry_run);
  if (!live && election.stands) refuse("--leader-elect needs --kubeconfig or --in-cluster");
  bool named = !election.lease_name.empty() || !election.lease_namespace.empty();
  if (named && !election.stands) refuse("--lease-name and --lease-namespace need --leader-elect");
}

}  // namespace trellis
