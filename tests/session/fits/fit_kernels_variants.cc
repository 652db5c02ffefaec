#include "tests/session/fits/fit_kernels_variants.h"

#include <algorithm>
#include <bit>

#include "framework/clones.h"
#include "session/fits/fit_kernels.h"

// Each inclusion below compiles the kernels for one set; their own clones would only be in the way.
#undef TRELLIS_CLONES
#define TRELLIS_CLONES

namespace baseline::trellis {
using namespace ::trellis;
}
namespace baseline {
#include "session/fits/fit_kernels.cc"
}

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
namespace v3::trellis {
using namespace ::trellis;
}
namespace v3 {
#include "session/fits/fit_kernels.cc"
}
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace v4::trellis {
using namespace ::trellis;
}
namespace v4 {
#include "session/fits/fit_kernels.cc"
}
#pragma GCC pop_options
#endif

namespace trellis {

std::vector<FitKernelVariant> fit_kernel_variants() {
  std::vector<FitKernelVariant> variants = {
      {"as built", true, lower_to_fit, sum},
      {"baseline", true, baseline::trellis::lower_to_fit, baseline::trellis::sum}};
#if defined(__x86_64__)
  bool v3_runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool v4_runs = v3_runs && __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
  variants.push_back({"x86-64-v3", v3_runs, v3::trellis::lower_to_fit, v3::trellis::sum});
  variants.push_back({"x86-64-v4", v4_runs, v4::trellis::lower_to_fit, v4::trellis::sum});
#endif
  return variants;
}

}  // namespace trellis
