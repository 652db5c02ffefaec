// Networks in the formats of others. What is written reads back as the same network, as far as the
// format can say it: Slurm's formats have no accelerators and no labels, HyperNodes neither.
#pragma once

#include <string>
#include <vector>

#include "server/fabric/fabric.h"

namespace trellis {

std::string to_slurm_conf(const Fabric& fabric);
std::string to_slurm_yaml(const std::vector<Fabric>& fabrics);
std::string to_topograph(const Fabric& fabric);
std::string to_hyper_nodes(const Fabric& fabric);

}  // namespace trellis
