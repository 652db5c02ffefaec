// The options of `snapshot save`.

#include "server/app/command_line.h"
#include "server/app/help_texts.h"

namespace trellis {

void CommandLine::add_snapshot() {
  CLI::App* command = add_command("snapshot",
                                  "Keep an input in a form that is read in a fraction\n"
                                  "of the time",
                                  kSnapshotDetails);
  command->require_subcommand(1);
  CLI::App* save = command->add_subcommand("save", "Write all inputs to one file, which -f reads");
  save->footer(kSnapshotDetails);
  save->add_option("FILE", snapshot_.file, "The file that is written")->required()->type_name("");
  add_file_option(save, snapshot_.input);
  add_kubeconfig(save, snapshot_.input.kubeconfigs, snapshot_.input.context);
  take(save, snapshot_);
}

}  // namespace trellis
