// The page that `trellis serve` shows at `/`: its files, compiled in, so that it works offline.
#pragma once

#include <span>
#include <string_view>

namespace trellis {

// One file of the page. The views refer to constants: they stay valid, and nothing is copied.
struct PagePart {
  std::string_view path;          // as requested: "/", "/page/main.js"
  std::string_view content_type;  // with its charset
  std::string_view etag;          // the header's value; weak, so that it names both forms
  std::string_view plain;
  std::string_view gzipped;
};

// All files, in no particular order; exactly one has the path "/".
std::span<const PagePart> page_parts();

}  // namespace trellis
