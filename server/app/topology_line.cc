// The options of `topology` and of its verb `import`.

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/app/command_line.h"
#include "server/app/help_texts.h"
#include "server/app/option_values.h"

namespace trellis {
namespace {

constexpr std::pair<std::string_view, DomainOrder> kDomainOrders[] = {
    {"name", DomainOrder::Name}, {"free", DomainOrder::Free}, {"used", DomainOrder::Used}};

}  // namespace

void CommandLine::add_topology() {
  CLI::App* command = add_command(
      "topology", "Show the topologies: what is used, and what still fits", kTopologyDetails);
  command->add_option("NAME", topology_.name, "Only this topology")->type_name("");
  command
      ->add_option("--distance", topology_.distance,
                   "How far apart two nodes or domains (block/rack) are")
      ->expected(2)
      ->type_name("A B");
  command
      ->add_option("--level", topology_.view.level, "Only the domains of this level, a line each")
      ->type_name("LEVEL");
  command
      ->add_option_function<std::string>(
          "--depth", [this](const std::string& text) { topology_.view.depth = read_depth(text); },
          "So many levels below the root (all)")
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--sort",
          [this](const std::string& word) {
            topology_.view.order = read_choice("--sort: ", "order", word, kDomainOrders);
          },
          "The order of domains: most free first, or most used\n(name)")
      ->type_name("name|free|used");
  add_input(command, topology_.input);
  add_output(command, topology_.output, "tree|json|yaml");
  command->parse_complete_callback([this] { settle_name(); });
  add_topology_import(command);
  command->callback([this, command] {
    if (!command->get_subcommands().empty()) return;  // the verb is the command
    settle_input(topology_.input);
    command_ = topology_;
  });
}

void CommandLine::add_topology_import(CLI::App* topology) {
  CLI::App* command = topology->add_subcommand(
      "import", "Make a Topology and labels of nodes from a description of the network");
  command->footer(kTopologyImportDetails);
  command->add_option("FILE", import_.file, "The description, or - for standard input")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--format",
          [this](const std::string& word) {
            import_.format = read_choice("--format: ", "format", word, kFabricFormats);
          },
          "What the description is (recognised by its content)")
      ->type_name("slurm-conf|slurm-yaml|ibnetdiscover|topograph|hypernodes");
  command->add_option("--name", import_.name, "Of the Topology (the network's own, or fabric)")
      ->type_name("NAME");
  command
      ->add_option("--labels", import_.levels,
                   "The labels of the levels, widest first (topograph's:\n"
                   "network.topology.nvidia.com/core, spine, leaf)")
      ->delimiter(',')
      ->type_name("A,B...")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "-o,--output",
          [this](const std::string& word) {
            constexpr std::string_view kOutputs[] = {"yaml",       "json",      "slurm-conf",
                                                     "slurm-yaml", "topograph", "hypernodes"};
            read_choice("", "format", word, kOutputs);
            import_.output = word;
          },
          "How to print: objects, or another description (yaml)")
      ->type_name("yaml|json|slurm-conf|slurm-yaml|topograph|hypernodes");
  take(command, import_);
}

// The first word is a file where nothing else is named as input, and there is such a file.
void CommandLine::settle_name() {
  const InputArguments& input = topology_.input;
  bool named = !input.files.empty() || !input.words.empty() || !input.kubeconfigs.empty();
  std::error_code ignored;
  bool file = topology_.name == "-" || std::filesystem::exists(topology_.name, ignored);
  if (named || !file) return;
  topology_.input.words.push_back(std::move(topology_.name));
  topology_.name.clear();
}

}  // namespace trellis
