#include "server/fabric/fabric_reader.h"

#include <algorithm>
#include <string>

#include "framework/ascii.h"
#include "server/document/document.h"
#include "server/manifest/input_files.h"

namespace trellis {
namespace {

bool has_line_with(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    std::string start = lower(line.substr(0, 16));
    for (std::string_view beginning : beginnings) {
      if (start.starts_with(beginning)) return true;
    }
  }
  return false;
}

// Of the first document.
std::optional<FabricFormat> format_of(Value root) {
  if (root.is(ValueKind::Array)) {
    for (Value item : root.items()) {
      if (item["topology"].exists()) return FabricFormat::SlurmYaml;
      return item["kind"].exists() ? std::optional(FabricFormat::HyperNodes) : std::nullopt;
    }
  }
  if (root["kind"].exists() || root["items"].exists()) return FabricFormat::HyperNodes;
  bool model = root["switches"].is(ValueKind::Object) || root["blocks"].is(ValueKind::Array);
  return model ? std::optional(FabricFormat::Topograph) : std::nullopt;
}

}  // namespace

std::optional<FabricFormat> recognise_fabric(std::string_view text) {
  if (has_line_with(text, {"switchname=", "blockname=", "blocksizes="})) {
    return FabricFormat::SlurmConf;
  }
  if (has_line_with(text, {"switchguid=", "vendid=", "caguid="})) {
    return FabricFormat::Ibnetdiscover;
  }
  std::optional<FabricFormat> format;
  bool first = true;
  std::vector<Diagnostic> ignored;
  read_documents(text, {.file = "",
                        .diagnostics = &ignored,
                        .document =
                            [&](const Document& document, const ListHead& head) {
                              if (first) format = format_of(document.root());
                              if (first && !head.kind.empty()) format = FabricFormat::HyperNodes;
                              first = false;
                            },
                        .progress = {},
                        .consumed = {}});
  return format;
}

std::vector<Fabric> read_fabric(const FabricText& text, FabricFormat format) {
  std::vector<Fabric> fabrics;
  switch (format) {
    case FabricFormat::SlurmConf:
      fabrics.push_back(read_slurm_conf(text));
      break;
    case FabricFormat::SlurmYaml:
      return read_slurm_yaml(text);
    case FabricFormat::Ibnetdiscover:
      fabrics.push_back(read_ibnetdiscover(text));
      break;
    case FabricFormat::Topograph:
      fabrics.push_back(read_topograph(text));
      break;
    case FabricFormat::HyperNodes:
      fabrics.push_back(read_hyper_nodes(text));
      break;
  }
  return fabrics;
}

void join_blocks(FabricBuilder& fabric, const std::vector<int32_t>& blocks,
                 const std::vector<std::string>& names, const std::vector<int64_t>& sizes,
                 const FabricPlace& at) {
  std::vector<int32_t> below = blocks;
  size_t joined = 1;  // blocks in each of `below`
  for (size_t i = 1; i < sizes.size() && !blocks.empty(); ++i) {
    int64_t times = sizes[i] / sizes[i - 1];
    bool power = times > 0 && (times & (times - 1)) == 0;
    if (sizes[i] % sizes[i - 1] != 0 || !power || times == 1) {
      fabric.error(at, {.found = std::to_string(sizes[i]),
                        .expected = "a power of two times the size before it, " +
                                    std::to_string(sizes[i - 1])});
      return;
    }
    std::vector<int32_t> above;
    joined *= static_cast<size_t>(times);
    for (size_t j = 0; j < below.size(); ++j) {
      if (j % static_cast<size_t>(times) == 0) {
        size_t first = above.size() * joined;
        size_t last = std::min(names.size(), first + joined) - 1;
        above.push_back(fabric.define(
            names[first] + "-to-" + names[last] + "." + std::to_string(sizes[i]), at));
      }
      fabric.connect(above.back(), below[j], at);
    }
    below = std::move(above);
  }
}

}  // namespace trellis
