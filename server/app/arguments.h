// Decodes the command line into one record for each command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/time.h"
#include "server/app/caller.h"
#include "server/app/completion.h"
#include "server/app/console.h"
#include "server/compare/planned_change.h"
#include "server/document/output_format.h"
#include "server/explain/explain_answer.h"
#include "server/fabric/fabric_reader.h"
#include "server/http/listen_address.h"
#include "server/kube/bind/pod_write.h"
#include "server/log/log.h"
#include "server/manifest/shard.h"
#include "server/simulate/read_trace.h"
#include "server/view/row_selection.h"
#include "server/view/topology_output.h"

namespace trellis {

// The arguments of every command that reads a cluster.
struct InputArguments {
  std::vector<std::string> files;
  std::vector<std::string> words;        // files that were named without -f; moved to `files`
  std::vector<std::string> kubeconfigs;  // a live cluster in place of files; empty: files are read
  std::string context;                   // of the kubeconfig; empty: the current one
  std::string config_file;               // empty: the defaults
  std::vector<std::string> levels;       // as in ReadOptions
  std::optional<int> threads;            // none: one for each processor, as far as that pays
};

// The further arguments of every command that runs cycles.
struct CycleArguments {
  std::optional<std::vector<std::string>> actions;  // instead of the configured ones
  int64_t cycles = 1;
  std::optional<TimeUs> now;
  bool only_allocate = false;  // no pod and no workload moves or leaves for another
};

struct ScheduleArguments {
  InputArguments input;
  CycleArguments cycle;
  RowSelection rows;  // of the table
  TableWidth width = TableWidth::Fit;
  std::string save_file;   // empty: the cluster is not saved
  bool anonymize = false;  // what is saved bears other names
  bool fail_unscheduled = false;
  OutputFormat output = OutputFormat::Table;
};

// Whether gangs that come would get a place.
struct FitArguments {
  InputArguments input;
  CycleArguments cycle;
  std::vector<std::string> added;  // files, as the input's
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Text;
};

struct TopologyArguments {
  InputArguments input;
  std::string name;                   // empty: all
  std::vector<std::string> distance;  // of two places; empty: the trees
  TopologyView view;                  // of the tree
  OutputFormat output = OutputFormat::Tree;
};

// The state of the cluster on one screen.
struct ReportArguments {
  InputArguments input;
  CycleArguments cycle;
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Text;
};

// A description of a network that becomes objects, or the same in another format.
struct TopologyImportArguments {
  std::string file;
  std::optional<FabricFormat> format;  // none: recognised
  std::string name;                    // of the Topology; empty: the network's own
  std::vector<std::string> levels;     // labels, the widest first; empty: topograph's
  std::string output = "yaml";         // json, or the name of a format
};

struct QueuesArguments {
  InputArguments input;
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Table;
};

struct ValidateArguments {
  InputArguments input;
};

struct SnapshotSaveArguments {
  InputArguments input;
  std::string file;  // that is written
};

struct ExplainArguments {
  InputArguments input;
  CycleArguments cycle;
  ExplainQuestion question;  // as written: complete() finds the object
  std::string owner;         // as in complete()
  std::string kind_error;    // not "": the question has no kind; said where no object is found
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Text;
};

struct WhatifArguments {
  InputArguments input;
  CycleArguments cycle;
  std::vector<std::string> added;  // files, as the input's
  PlannedChange change;
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Table;
};

struct DefragArguments {
  InputArguments input;
  CycleArguments cycle;
  std::optional<int64_t> max_moved_gpus;  // instead of the configured ones
  TableWidth width = TableWidth::Fit;
  OutputFormat output = OutputFormat::Table;
};

enum class SimulationOutput : uint8_t { Table, JsonText, Csv, Html };

enum class PlanOutput : uint8_t { Table, JsonText, Html };

// Nodes that may be bought, for gangs that wait or for a trace.
struct PlanArguments {
  InputArguments input;
  std::vector<std::string> shapes;  // FILE or FILE=MAX
  std::vector<std::string> gangs;   // empty: all that wait
  std::string trace;                // empty: none
  TraceFormat format = TraceFormat::Columns;
  std::optional<TimeUs> wait;  // of 95 of 100 gangs of the trace
  TableWidth width = TableWidth::Fit;
  PlanOutput output = PlanOutput::Table;
};

// Gangs with their times, on a cluster, in virtual time.
struct SimulateArguments {
  InputArguments input;
  std::vector<std::string> configs;  // files; empty: the default configuration
  std::string trace;                 // empty: none
  TraceFormat format = TraceFormat::Columns;
  bool expect_durations = false;  // the run times of the trace's gangs are known
  uint64_t arrive_percent = 0;    // 0: gangs come at their own times
  uint64_t seed = 1;
  std::optional<int> threads;   // none: one for each processor
  std::string gangs_file;       // empty: not written
  std::string series_file;      // empty: not written
  std::string checkpoint_file;  // empty: none; of configurations but the first: with a number
  TableWidth width = TableWidth::Fit;
  SimulationOutput output = SimulationOutput::Table;
};

// The live cluster that `serve` reads instead of files.
struct ClusterArguments {
  std::vector<std::string> kubeconfigs;  // files; empty: no kubeconfig is used
  std::string context;                   // empty: the current one
  bool in_cluster = false;
  std::optional<Shard> shard;  // none: the whole cluster
  bool live() const { return in_cluster || !kubeconfigs.empty(); }
};

// Whether `serve` takes part in an election before it writes, and by which Lease.
struct ElectionArguments {
  bool stands = false;
  std::string lease_name;       // empty: the default name, by the shard
  std::string lease_namespace;  // empty: the namespace of this pod
};

struct ServeArguments {
  InputArguments input;
  ClusterArguments cluster;
  bool dry_run = false;
  BindPolicy binds;                  // of a live cluster, unless it is a dry run
  bool create_pod_groups = false;    // in a live cluster, unless it is a dry run
  bool gpu_fraction_binder = false;  // in a live cluster a program prepares parts of GPUs
  ElectionArguments election;
  std::vector<std::string> scheduler_names;  // empty: the configured ones
  ListenAddress listen;
  std::optional<ListenAddress> health_listen;
  std::optional<ListenAddress> metrics_listen;
  LogFormat log_format = LogFormat::Text;
  LogLevel log_level = LogLevel::Info;
};

struct ConfigPrintArguments {
  std::string config_file;
};

struct CompletionArguments {
  Shell shell = Shell::Bash;
};

struct ManArguments {
  std::string command;  // empty: the page of the program itself
};

struct VersionArguments {};

using Command =
    std::variant<ScheduleArguments, FitArguments, TopologyArguments, TopologyImportArguments,
                 ReportArguments, QueuesArguments, ValidateArguments, ExplainArguments,
                 SnapshotSaveArguments, WhatifArguments, PlanArguments, SimulateArguments,
                 DefragArguments, ServeArguments, ConfigPrintArguments, CompletionArguments,
                 ManArguments, VersionArguments>;

struct Arguments {
  std::optional<Command> command;  // none: there is only `help` or `error` to print
  std::string help;                // for stdout
  std::string error;               // for stderr: bad usage
};

// `words`: the command line without the program's name.
Arguments parse_arguments(const std::vector<std::string>& words, const Caller& caller = {});

}  // namespace trellis
