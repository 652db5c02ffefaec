// The page that `trellis serve` shows at `/`: its files, compiled in, so that it works offline.
#pragma once

#include <span>
#include <string_view>

namespace trellis {

// One file of the page. Views of constants: valid for ever, nothing is copied.
struct PagePart {
  std::string_view path;          // as asked for: "/", "/page/main.js"
  std::string_view content_type;  // with its charset
  std::string_view etag;          // ready for the header; weak, so that it names both forms
  std::string_view plain;
  std::string_view gzipped;
};

// All files, in no particular order; exactly one has the path "/".
std::span<const PagePart> page_parts();

}  // namespace trellis
