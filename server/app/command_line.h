// The commands and options that the program understands, and their help, bound to the arguments of
// each command (server/app/arguments.h) by CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/arguments.h"

namespace trellis {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  enum class Outcome : uint8_t { Good, Help, Version, Wrong };
  Outcome parse(std::vector<std::string> words);

  Command command() const { return command_; }         // after Outcome::Good
  std::string help() const { return app_.help(); }     // of the command that was named
  const std::string& error() const { return error_; }  // with where to find help

 private:
  CLI::App* add_command(const char* name, const char* summary, const char* details);
  // Once the line is read and complete, `arguments` are the command; check() may refuse them.
  template <class OfCommand, class Check>
  void take(CLI::App* command, OfCommand& arguments, Check check) {
    command->callback([this, &arguments, check] {
      check(arguments);
      command_ = arguments;
    });
  }
  template <class OfCommand>
  void take(CLI::App* command, OfCommand& arguments) {
    take(command, arguments, [](OfCommand&) {});
  }
  enum class Input : uint8_t { Required, Optional };
  void add_input(CLI::App* command, InputArguments& input, Input need = Input::Required);
  void add_cycle(CLI::App* command, CycleArguments& cycle);
  void add_output(CLI::App* command, OutputFormat& output, const char* formats);
  void add_schedule();
  void add_topology();
  void add_queues();
  void add_validate();
  void add_explain();
  void add_whatif();
  void add_serve();
  void add_source(CLI::App* command);
  void add_binding(CLI::App* command);
  void add_sharing(CLI::App* command);
  void add_listening(CLI::App* command);
  void check_serve(const CLI::App& command);
  void add_change(CLI::App* command, const char* name, std::vector<std::string>& words,
                  const char* what, const char* type);
  void add_config();
  bool has_files() const;
  Outcome complain(std::string message);
  Outcome complain_about_rest(const CLI::ParseError& failure);
  Outcome check_command(const std::vector<std::string>& words);

  CLI::App app_;
  ScheduleArguments schedule_;
  TopologyArguments topology_;
  QueuesArguments queues_;
  ExplainArguments explain_;
  WhatifArguments whatif_;
  ServeArguments serve_;
  std::optional<bool> leader_elect_;  // as the line says
  ValidateArguments validate_;
  ConfigPrintArguments config_;
  VersionArguments version_;
  std::string name_;  // the first word
  Command command_ = VersionArguments();
  std::string error_;
};

}  // namespace trellis
