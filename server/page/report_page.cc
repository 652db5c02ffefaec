#include "server/page/report_page.h"

#include <algorithm>
#include <span>

#include "framework/check.h"
#include "server/page/page.h"

namespace trellis {
namespace {

constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
constexpr std::string_view kStyle =
    "html, body { height: auto; }\n"
    "body { display: block; max-width: 1000px; margin: 0 auto; padding: 16px; }\n"
    "main { display: block; }\n"
    "section { margin-top: 20px; }\n"
    "table { width: auto; }\n"
    "td, th { padding: 3px 12px 3px 0; text-align: right; white-space: nowrap; }\n"
    "th[scope=row], tr > :first-child { text-align: left; }\n";

}  // namespace

std::string_view page_file(std::string_view path) {
  std::span<const PagePart> parts = page_parts();
  auto found = std::ranges::find(parts, path, &PagePart::path);
  require(found != parts.end(), "a file that the page needs is compiled in");
  return found->plain;
}

std::string report_head(std::string_view title) {
  std::string head(kHead);
  std::string heading(title);
  head += "<title>Trellis: " + heading + "</title>\n<style>\n";
  head.append(page_file("/page/style.css")).append(kStyle);
  return head + "</style>\n</head>\n<body>\n<h1>" + heading + "</h1>\n";
}

}  // namespace trellis
