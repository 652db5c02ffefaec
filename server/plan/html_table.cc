#include "server/plan/html_table.h"

namespace trellis {

std::string escaped_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_row(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += "<td>" + escaped_html(cell) + "</td>";
  return row + "</tr>\n";
}

std::string html_table(const std::vector<std::string>& titles, const std::string& rows) {
  std::string head;
  for (const std::string& title : titles) {
    head += "<th scope=\"col\">" + escaped_html(title) + "</th>";
  }
  return "<table>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n" + rows + "</tbody>\n</table>\n";
}

}  // namespace trellis
