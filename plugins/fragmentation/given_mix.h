// The mix of pods that the configuration gives, instead of one that is learned: the arguments of
// `fragmentation`.
#pragma once

#include <string_view>
#include <vector>

#include "framework/config.h"
#include "framework/learned_mix.h"
#include "plugins/fragmentation/gpu_models.h"

namespace trellis {

inline constexpr std::string_view kFragmentationArguments[] = {
    "mix[].pods=number", "mix[].cpuMilli=number", "mix[].memoryMiB=number",
    "mix[].gpus=number", "mix[].gpuMilli=number", "mix[].models=several:",
};

bool has_given_mix(const PluginConfig& config);

// Their parts add up to 1. Empty: all of them are 0.
std::vector<TypicalPod> given_mix(const PluginConfig& config, GpuModelBits& models);

}  // namespace trellis
