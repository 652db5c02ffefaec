// The fit kernels as each instruction set gets them, side by side on one machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis {

struct FitKernelVariant {
  std::string name;
  bool runs_here = false;
  void (*lower_to_fit)(std::span<const int64_t>, int64_t, std::span<int32_t>) = nullptr;
  int64_t (*sum)(std::span<const int32_t>) = nullptr;
};

std::vector<FitKernelVariant> fit_kernel_variants();

}  // namespace trellis
