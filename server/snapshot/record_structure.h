// A number for the structure of records: another build whose records have other members, or whose
// enumerators have other names, has another number.
#pragma once

#include <cstdint>

namespace trellis {

uint64_t structure_of_records();

}  // namespace trellis
