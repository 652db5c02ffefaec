#include "framework/plugin.h"

#include <string>

#include "framework/check.h"

namespace trellis {

void break_single_point(std::string_view first, std::string_view second) {
  throw BrokenCheck("broken check: the plugins " + std::string(first) + " and " +
                    std::string(second) + " supply a point that one plugin at most supplies");
}

}  // namespace trellis
