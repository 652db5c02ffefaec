// The words that the program understands, and their help: CLI11's side of the command line. Values
// stay text here; arguments.h decodes them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct CycleWords {
  std::optional<std::string> actions;
  std::string cycles;
  std::string now;
};

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  enum class Outcome : uint8_t { Good, Help, Version, Wrong };
  Outcome parse(std::vector<std::string> words);

  const std::string& command() const { return command_; }  // the first word
  std::string help() const { return app_.help(); }         // of the command that was named
  const std::string& error() const { return error_; }      // with where to find help

  // What stood on the line; only what the command takes is ever set.
  std::vector<std::string> files;
  std::string config_file;
  CycleWords cycle;
  std::string save_file;
  bool fail_unscheduled = false;
  std::string output;
  std::string topology_name;
  std::string explain_target;
  std::vector<std::string> added;
  std::vector<std::string> cordons;
  std::vector<std::string> removed;
  std::string listen;
  std::string health_listen;
  std::string metrics_listen;
  std::string kubeconfig;
  std::string context;
  bool in_cluster = false;
  bool dry_run = false;
  std::string on_failed_bind;
  bool delete_evicted = false;
  bool create_pod_groups = false;
  bool gpu_fraction_binder = false;
  std::vector<std::string> scheduler_names;
  std::optional<bool> leader_elect;
  std::string lease_name;
  std::string lease_namespace;
  std::optional<std::string> node_pool_label;
  std::string log_format;
  std::string log_level;

 private:
  CLI::App* add_command(const char* name, const char* summary, const char* details);
  enum class Input : uint8_t { Required, Optional };
  void add_input(CLI::App* command, Input input = Input::Required);
  void add_cycle(CLI::App* command);
  void add_output(CLI::App* command, const char* formats);
  void add_schedule();
  void add_topology();
  void add_queues();
  void add_validate();
  void add_explain();
  void add_whatif();
  void add_serve();
  void add_sharing(CLI::App* command);
  void add_change(CLI::App* command, const char* name, std::vector<std::string>& words,
                  const char* what, const char* type);
  void add_config();
  Outcome complain(std::string message);
  Outcome complain_about_rest(const CLI::ParseError& failure);
  Outcome check_command(const std::vector<std::string>& words);

  CLI::App app_;
  std::string command_;
  std::string error_;
};

}  // namespace trellis
