// A label or an annotation that a plugin adds to a pod before the pod is bound; the sink writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

struct BindNote {
  enum class Kind : uint8_t { Label, Annotation } kind = Kind::Label;
  std::string_view key;  // static storage
  std::string value;
  bool operator==(const BindNote&) const = default;
};

}  // namespace trellis
