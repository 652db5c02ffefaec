#include "server/http/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace trellis::gzip_test {
namespace {

std::string inflated(const std::string& bytes, size_t size) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, ReadsBack) {
  std::string rows;
  for (int i = 0; i < 200'000; ++i) rows += "{\"name\": \"node-" + std::to_string(i) + "\"}\n";
  for (const std::string& text : {std::string(), std::string("a"), rows}) {
    std::optional<std::string> smaller = gzip(text);
    ASSERT_TRUE(smaller);
    EXPECT_EQ(inflated(*smaller, text.size()), text);
  }
  EXPECT_LT(gzip(rows)->size(), rows.size() / 4);
}

TEST(Gzip, IsTakenByThoseWhoSaySo) {
  for (const char* header : {"gzip", "deflate, gzip", "gzip;q=0.5", "br;q=1.0, gzip;q=0.8, *;q=0.1",
                             "*", "x-gzip", " gzip ,br", "gzip;q=0.001"}) {
    EXPECT_TRUE(accepts_gzip(header)) << header;
  }
  for (const char* header :
       {"", "br", "identity", "gzip;q=0", "gzip; q=0.0", "*;q=0", "gzipped", "*, gzip;q=0"}) {
    EXPECT_FALSE(accepts_gzip(header)) << header;
  }
}

}  // namespace
}  // namespace trellis::gzip_test
