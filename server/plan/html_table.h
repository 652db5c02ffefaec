// Tables as HTML; cells are texts, and no markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trellis {

std::string escaped_html(std::string_view text);
std::string html_row(const std::vector<std::string>& cells);
// `rows`: of html_row().
std::string html_table(const std::vector<std::string>& titles, const std::string& rows);

}  // namespace trellis
