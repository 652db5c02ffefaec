#pragma once

#include <cstdint>

namespace trellis {

enum class OutputFormat : uint8_t { Table, JsonText, Yaml, Tree, Text, Wide, Name, Csv };

}  // namespace trellis
