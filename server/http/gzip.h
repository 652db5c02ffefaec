// gzip at its quickest level: an answer is made once and read once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// nullopt: memory ran out. Cost: about 10 ns a byte of JSON.
std::optional<std::string> gzip(std::string_view bytes);

// Whether an Accept-Encoding header accepts gzip: by name, or by `*`, and not with q=0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace trellis
