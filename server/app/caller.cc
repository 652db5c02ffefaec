#include "server/app/caller.h"

#include <utility>

#include "server/kube/client/kubeconfig.h"

namespace trellis {

Caller caller_of(std::string_view program,
                 const std::function<const char*(const char*)>& environment) {
  std::string_view name = program.substr(program.rfind('/') + 1);
  if (name != "kubectl-trellis") return {};
  auto value = [&](const char* variable) {
    const char* text = environment(variable);
    return std::string(text == nullptr ? "" : text);
  };
  std::vector<std::string> kubeconfigs = kubeconfig_paths(value("KUBECONFIG"));
  if (kubeconfigs.empty()) kubeconfigs = {value("HOME") + "/.kube/config"};
  return {.name = "kubectl trellis", .kubeconfigs = std::move(kubeconfigs)};
}

}  // namespace trellis
