// The commands and options that the program understands, and their help, bound to the arguments of
// each command (server/app/arguments.h) by CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/arguments.h"
#include "server/app/caller.h"
#include "server/app/command_text.h"

namespace trellis {

class CommandLine {
 public:
  explicit CommandLine(Caller caller = {});
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  enum class Outcome : uint8_t { Good, Help, Version, Wrong };
  Outcome parse(std::vector<std::string> words);

  Command command() const { return command_; }         // after Outcome::Good
  std::string help() const { return app_.help(); }     // of the command that was named
  const std::string& error() const { return error_; }  // with where to find help

  // The program's own text, then those of its commands.
  std::vector<CommandText> texts() const;

 private:
  CLI::App* add_command(const char* name, const char* summary, const char* details);
  // Once the line is read and complete, `arguments` are the command; check() may refuse them.
  template <class OfCommand, class Check>
  void take(CLI::App* command, OfCommand& arguments, Check check) {
    command->callback([this, &arguments, check] {
      // `serve` has more inputs than files and a kubeconfig.
      if constexpr (requires { arguments.input; } && !std::same_as<OfCommand, ServeArguments>) {
        settle_input(arguments.input);
      }
      check(arguments);
      command_ = arguments;
    });
  }
  template <class OfCommand>
  void take(CLI::App* command, OfCommand& arguments) {
    take(command, arguments, [](OfCommand&) {});
  }
  static void add_file_option(CLI::App* command, InputArguments& input);
  void add_files(CLI::App* command, InputArguments& input);
  static void add_kubeconfig(CLI::App* command, std::vector<std::string>& kubeconfigs,
                             std::string& context);
  void add_input(CLI::App* command, InputArguments& input);
  static void add_levels(CLI::App* command, InputArguments& input);
  void add_cluster(CLI::App* command, InputArguments& input);
  void settle_input(InputArguments& input) const;
  void add_cycle(CLI::App* command, CycleArguments& cycle);
  void add_output(CLI::App* command, OutputFormat& output, const char* formats);
  void add_schedule();
  void add_topology();
  void add_topology_import(CLI::App* topology);
  void settle_name();
  void add_rows(CLI::App* command, RowSelection& rows);
  void add_width(CLI::App* command, TableWidth& width);
  void add_report();
  void add_queues();
  void add_validate();
  void add_snapshot();
  void add_explain();
  void add_fit();
  void add_whatif();
  void add_more_nodes(CLI::App* command);
  void add_defrag();
  void add_simulate();
  void add_plan();
  void add_planned_trace(CLI::App* command);
  void add_trace(CLI::App* command);
  void add_simulated_output(CLI::App* command);
  void add_serve();
  void add_source(CLI::App* command);
  void add_binding(CLI::App* command);
  void add_sharing(CLI::App* command);
  void add_listening(CLI::App* command);
  void check_serve(const CLI::App& command);
  void add_change(CLI::App* command, const char* name, std::vector<std::string>& words,
                  const char* what, const char* type);
  void add_config();
  void add_texts();
  std::vector<std::string> command_names() const;
  bool has_files() const;
  Outcome complain(std::string message);
  Outcome complain_about_rest(const CLI::ParseError& failure);
  Outcome check_command(const std::vector<std::string>& words);

  Caller caller_;
  CLI::App app_;
  ScheduleArguments schedule_;
  TopologyArguments topology_;
  ReportArguments report_;
  TopologyImportArguments import_;
  QueuesArguments queues_;
  ExplainArguments explain_;
  FitArguments fit_;
  WhatifArguments whatif_;
  AddedNodes more_nodes_;  // as the line says
  DefragArguments defrag_;
  PlanArguments plan_;
  SimulateArguments simulate_;
  ServeArguments serve_;
  std::optional<bool> leader_elect_;  // as the line says
  ValidateArguments validate_;
  SnapshotSaveArguments snapshot_;
  ConfigPrintArguments config_;
  CompletionArguments completion_;
  ManArguments man_;
  VersionArguments version_;
  std::string name_;  // the first word
  Command command_ = VersionArguments();
  std::string error_;
};

}  // namespace trellis
