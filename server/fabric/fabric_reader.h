// Reads a description of a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/fabric/fabric.h"

namespace trellis {

enum class FabricFormat : uint8_t { SlurmConf, SlurmYaml, Ibnetdiscover, Topograph, HyperNodes };

inline constexpr std::pair<std::string_view, FabricFormat> kFabricFormats[] = {
    {"slurm-conf", FabricFormat::SlurmConf},
    {"slurm-yaml", FabricFormat::SlurmYaml},
    {"ibnetdiscover", FabricFormat::Ibnetdiscover},
    {"topograph", FabricFormat::Topograph},
    {"hypernodes", FabricFormat::HyperNodes}};

// The format that the text looks like; nullopt: none. REQUIRES: a zero byte follows `text`.
std::optional<FabricFormat> recognise_fabric(std::string_view text);

// A text, and where findings about it go.
struct FabricText {
  std::string_view file;
  std::string_view text;  // a zero byte follows
  std::vector<Diagnostic>& diagnostics;
};

// The networks that the text describes: of Slurm's topology.yaml any number, of others one.
std::vector<Fabric> read_fabric(const FabricText& text, FabricFormat format);

// Each format by itself.
Fabric read_slurm_conf(const FabricText& text);
std::vector<Fabric> read_slurm_yaml(const FabricText& text);
Fabric read_topograph(const FabricText& text);
Fabric read_hyper_nodes(const FabricText& text);
Fabric read_ibnetdiscover(const FabricText& text);

// Slurm's block topology: blocks at once, and the larger ones that consecutive blocks make.
// `sizes`: in nodes, the first of one block.
void join_blocks(FabricBuilder& fabric, const std::vector<int32_t>& blocks,
                 const std::vector<std::string>& names, const std::vector<int64_t>& sizes,
                 const FabricPlace& at);

}  // namespace trellis
