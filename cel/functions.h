// The tables of functions, by what they are about.
#pragma once

#include <array>
#include <span>

#include "cel/signatures.h"

namespace trellis::cel {

std::span<const Function> operator_functions();
std::span<const Function> conversion_functions();
std::span<const Function> string_functions();
std::span<const Function> format_functions();
std::span<const Function> list_functions();
std::span<const Function> set_functions();
std::span<const Function> optional_functions();
std::span<const Function> time_functions();
std::span<const Function> amount_functions();
std::span<const Function> network_functions();

inline std::array<std::span<const Function>, 10> all_functions() {
  return {operator_functions(), conversion_functions(), string_functions(),   format_functions(),
          list_functions(),     set_functions(),        optional_functions(), time_functions(),
          amount_functions(),   network_functions()};
}

}  // namespace trellis::cel
