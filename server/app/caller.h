// The name that the program was called by, and what that name implies.
//
// As `kubectl-trellis`, kubectl's plugin, a command that names no input reads the cluster of the
// current kubeconfig context.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct Caller {
  std::string name = "trellis";  // in messages and in help
  std::vector<std::string>
      kubeconfigs;               // read where a command names no input; empty: that is an error
  bool has_piped_input = false;  // standard input is a pipe or a file: read in the same case
};

// `program`: the path that the program was started by. `environment` returns a variable's value;
// nullptr: unset.
Caller caller_of(std::string_view program,
                 const std::function<const char*(const char*)>& environment);

}  // namespace trellis
