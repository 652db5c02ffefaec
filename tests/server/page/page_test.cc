#include "server/page/page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trellis::page_test {
namespace {

constexpr size_t kMaxGzippedBytes = 60'000;

std::string inflated(std::string_view gzipped, size_t expected_bytes) {
  std::string plain(expected_bytes + 1, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzipped.data()));
  stream.avail_in = static_cast<uInt>(gzipped.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  plain.resize(stream.total_out);
  return plain;
}

const PagePart* part_at(std::string_view path) {
  for (const PagePart& part : page_parts()) {
    if (part.path == path) return &part;
  }
  return nullptr;
}

TEST(Page, HasItsPartsOnce) {
  std::set<std::string_view> paths;
  for (const PagePart& part : page_parts()) EXPECT_TRUE(paths.insert(part.path).second);
  EXPECT_TRUE(paths.contains("/"));
  EXPECT_TRUE(paths.contains("/page/main.js"));
  EXPECT_TRUE(paths.contains("/page/style.css"));
}

TEST(Page, GzippedIsPlain) {
  for (const PagePart& part : page_parts()) {
    EXPECT_FALSE(part.plain.empty()) << part.path;
    EXPECT_EQ(inflated(part.gzipped, part.plain.size()), part.plain) << part.path;
  }
}

TEST(Page, IsSmall) {
  size_t bytes = 0;
  for (const PagePart& part : page_parts()) bytes += part.gzipped.size();
  EXPECT_LE(bytes, kMaxGzippedBytes);
}

TEST(Page, EachPartHasATagOfItsOwn) {
  std::set<std::string_view> tags;
  for (const PagePart& part : page_parts()) {
    EXPECT_TRUE(part.etag.starts_with("W/\"") && part.etag.ends_with('"')) << part.etag;
    EXPECT_TRUE(tags.insert(part.etag).second) << part.path;
  }
}

TEST(Page, TypesAreWhatBrowsersRun) {
  for (const auto& [path, type] : {std::pair{"/", "text/html; charset=utf-8"},
                                   {"/page/main.js", "text/javascript; charset=utf-8"},
                                   {"/page/style.css", "text/css; charset=utf-8"}}) {
    const PagePart* part = part_at(path);
    ASSERT_NE(part, nullptr) << path;
    EXPECT_EQ(part->content_type, type);
  }
}

// Content-Security-Policy forbids them, so they would silently do nothing.
TEST(Page, HasNoInlineScriptOrStyle) {
  const std::string_view html = part_at("/")->plain;
  EXPECT_EQ(html.find(" style="), std::string_view::npos);
  EXPECT_EQ(html.find("<style"), std::string_view::npos);
  EXPECT_EQ(html.find(" onclick="), std::string_view::npos);
  for (size_t at = html.find("<script"); at != std::string_view::npos;
       at = html.find("<script", at + 1)) {
    EXPECT_NE(html.substr(at, html.find('>', at) - at).find(" src="), std::string_view::npos);
  }
}

}  // namespace
}  // namespace trellis::page_test
