#include "server/http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace trellis {
namespace {

constexpr int kGzipWindow = 15 + 16;  // makes zlib write gzip's frame
constexpr int kMemoryLevel = 8;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// `q=0`, `q=0.0`, `q=0.000`
bool is_refused(std::string_view parameters) {
  size_t q = parameters.find("q=");
  if (q == std::string_view::npos) return false;
  std::string_view value = trimmed(parameters.substr(q + 2));
  return value.starts_with('0') && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib counts in 32 bits: both sides are handed over piece by piece.
  constexpr size_t kPiece = std::numeric_limits<uInt>::max() / 2;
  size_t read = 0;
  size_t written = 0;
  int outcome = Z_OK;
  while (outcome == Z_OK) {
    size_t take = std::min(kPiece, bytes.size() - read);
    size_t room = std::min(kPiece, out.size() - written);
    // zlib does not write through next_in; its older interface only lacks the const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
    stream.avail_in = static_cast<uInt>(take);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(room);
    outcome = deflate(&stream, read + take == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    read += take - stream.avail_in;
    written += room - stream.avail_out;
  }
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return std::nullopt;
  out.resize(written);
  out.shrink_to_fit();
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    size_t comma = accept_encoding.find(',');
    std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding =
        comma == std::string_view::npos ? std::string_view() : accept_encoding.substr(comma + 1);
    size_t semicolon = item.find(';');
    std::string_view coding = trimmed(item.substr(0, semicolon));
    bool refused = semicolon != std::string_view::npos && is_refused(item.substr(semicolon + 1));
    if (coding == "gzip" || coding == "x-gzip") return !refused;
    if (coding == "*") any = !refused;
  }
  return any;
}

}  // namespace trellis
