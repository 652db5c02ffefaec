// The parts of an HTML file that needs no other file: a report that a command writes.
#pragma once

#include <string>
#include <string_view>

namespace trellis {

// The text of one of the page's files. REQUIRES: there is such a file.
std::string_view page_file(std::string_view path);

// From the doctype to the heading inside the open body, with the page's style sheet. `title` is no
// markup.
std::string report_head(std::string_view title);

}  // namespace trellis
