#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/document_output.h"
#include "server/fabric/fabric_formats.h"
#include "server/fabric/fabric_levels.h"
#include "server/fabric/fabric_objects.h"
#include "server/fabric/fabric_reader.h"
#include "server/manifest/input_files.h"

namespace trellis {
namespace {

constexpr size_t kImportedDepth = 3;  // each object is one line

// The text of the file. nullopt: it cannot be read, which has been printed.
std::optional<std::string> text_of_file(const std::string& name, Console& console) {
  std::vector<Diagnostic> diagnostics;
  std::vector<InputFile> files = find_input_files({name}, diagnostics);
  print_diagnostics(diagnostics, Listing::Whole, console);
  if (!diagnostics.empty()) return std::nullopt;
  if (files.size() != 1) {
    console.complain(name + " is a directory: expected one file");
    return std::nullopt;
  }
  Result<std::string> text = read_input_file(files.front());
  if (text) return std::move(*text);
  console.complain(name + ": " + text.error().message);
  return std::nullopt;
}

bool check_labels(const std::vector<Fabric>& fabrics, const TopologyImportArguments& arguments,
                  Console& console) {
  if (fabrics.size() > 1 && (!arguments.levels.empty() || !arguments.name.empty())) {
    console.complain("--name and --labels are for one topology: " + arguments.file + " has " +
                     std::to_string(fabrics.size()));
    return false;
  }
  if (arguments.levels.empty()) return true;
  size_t tiers = tiers_of(fabrics.front());
  if (arguments.levels.size() == tiers) return true;
  console.complain("--labels: expected " + std::to_string(tiers) + ", one for each level of " +
                   arguments.file);
  return false;
}

ExitCode print_fabrics(const std::vector<Fabric>& fabrics, const TopologyImportArguments& arguments,
                       Console& console) {
  bool objects = arguments.output == "yaml" || arguments.output == "json";
  if (objects) {
    if (std::string clash = node_name_clash(fabrics); !clash.empty()) {
      console.complain(clash);
      return kBadInput;
    }
    OutputFormat format = arguments.output == "yaml" ? OutputFormat::Yaml : OutputFormat::JsonText;
    write_document(console.out, format, kImportedDepth, [&](DocumentWriter& out) {
      write_fabric_objects(out, fabrics, {.topology = arguments.name, .labels = arguments.levels});
    });
    return kDone;
  }
  if (arguments.output == "slurm-yaml") {
    console.out.write(to_slurm_yaml(fabrics));
    return kDone;
  }
  if (fabrics.size() > 1) {
    console.complain(arguments.output + " holds one topology: " + arguments.file + " has " +
                     std::to_string(fabrics.size()));
    return kBadInput;
  }
  const Fabric& fabric = fabrics.front();
  console.out.write(arguments.output == "slurm-conf"  ? to_slurm_conf(fabric)
                    : arguments.output == "topograph" ? to_topograph(fabric)
                                                      : to_hyper_nodes(fabric));
  return kDone;
}

}  // namespace

ExitCode run(const TopologyImportArguments& arguments, Console& console) {
  std::optional<std::string> text = text_of_file(arguments.file, console);
  if (!text) return kBadInput;
  std::optional<FabricFormat> format = arguments.format;
  if (!format) format = recognise_fabric(*text);
  if (!format) {
    console.complain(arguments.file +
                     " is no description of a network that is known: expected Slurm's "
                     "topology.conf or topology.yaml, ibnetdiscover's output, a model of topograph "
                     "or HyperNodes; --format says which");
    return kBadInput;
  }
  std::vector<Diagnostic> diagnostics;
  std::vector<Fabric> fabrics = read_fabric({arguments.file, *text, diagnostics}, *format);
  print_diagnostics(diagnostics, Listing::Whole, console);
  bool wrong = std::ranges::any_of(
      diagnostics, [](const Diagnostic& one) { return one.severity == Severity::Error; });
  if (wrong) return kBadInput;
  if (fabrics.empty()) {
    console.complain(arguments.file + " describes no topology");
    return kBadInput;
  }
  if (!check_labels(fabrics, arguments, console)) return kBadInput;
  return print_fabrics(fabrics, arguments, console);
}

}  // namespace trellis
