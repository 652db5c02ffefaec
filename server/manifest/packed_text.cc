#include "server/manifest/packed_text.h"

#include <minizip/unzip.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

namespace trellis {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstandard = "\x28\xb5\x2f\xfd";
constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::array<std::string_view, 2> kEndings = {".gz", ".zst"};

// The unpacked text so far, with room for what comes next.
class Unpacked {
 public:
  explicit Unpacked(size_t most_bytes) : most_bytes_(most_bytes) {}

  // False: the text has more than the most bytes.
  bool make_room() {
    if (used_ > most_bytes_) return false;
    if (used_ == text_.size()) text_.resize(used_ + std::max(kChunkBytes, used_ / 2));
    return true;
  }
  char* end() { return text_.data() + used_; }
  size_t room() const { return std::min<size_t>(text_.size() - used_, UINT32_MAX); }
  void take(size_t bytes) { used_ += bytes; }

  Result<std::string> finish() {
    if (used_ > most_bytes_) return too_large();
    text_.resize(used_);
    return std::move(text_);
  }
  tl::unexpected<Error> too_large() const {
    return error("more than " + std::to_string((most_bytes_ + 1) >> 20) + " MiB when unpacked");
  }

 private:
  size_t most_bytes_;
  std::string text_;
  size_t used_ = 0;
};

tl::unexpected<Error> broken(const std::string& what) {
  return error(what + " data that is broken or ends too early");
}

// Members may follow each other, as `cat a.gz b.gz` makes them.
Result<std::string> unpack_gzip(const std::string& packed, size_t most_bytes) {
  z_stream stream{};
  constexpr int kWithGzipHeader = 15 + 16;
  if (inflateInit2(&stream, kWithGzipHeader) != Z_OK) return error("no memory to unpack gzip data");
  std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
  Unpacked plain(most_bytes);
  const auto* at = reinterpret_cast<const Bytef*>(packed.data());
  const Bytef* end = at + packed.size();
  stream.next_in = const_cast<Bytef*>(at);
  while (true) {
    if (!plain.make_room()) return plain.too_large();
    auto given = static_cast<uInt>(std::min<size_t>(
        static_cast<size_t>(end - static_cast<const Bytef*>(stream.next_in)), UINT32_MAX));
    auto room = static_cast<uInt>(plain.room());
    stream.avail_in = given;
    stream.avail_out = room;
    stream.next_out = reinterpret_cast<Bytef*>(plain.end());
    int outcome = inflate(&stream, Z_NO_FLUSH);
    plain.take(room - stream.avail_out);
    if (outcome == Z_STREAM_END) {
      if (stream.next_in == end) return plain.finish();
      if (inflateReset(&stream) != Z_OK) return broken("gzip");
    } else if (outcome != Z_OK) {
      return broken("gzip");
    }
  }
}

Result<std::string> unpack_zstandard(const std::string& packed, size_t most_bytes) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                  ZSTD_freeDStream);
  if (!stream) return error("no memory to unpack Zstandard data");
  Unpacked plain(most_bytes);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1;  // 0: a frame has ended
  while (in.pos < in.size || left != 0) {
    if (!plain.make_room()) return plain.too_large();
    ZSTD_outBuffer out{plain.end(), plain.room(), 0};
    size_t before = in.pos;
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    plain.take(out.pos);
    if (ZSTD_isError(left) != 0 || (in.pos == before && out.pos == 0)) return broken("Zstandard");
  }
  return plain.finish();
}

// Opens the text, not a file: minizip reads files by functions that a caller may replace.
voidpf open_text(voidpf text, const void* /*name*/, int /*mode*/) {
  auto* packed = static_cast<std::string*>(text);
  return fmemopen(packed->data(), packed->size(), "rb");
}

Result<std::string> unpack_zip(std::string& packed, size_t most_bytes) {
  zlib_filefunc64_def functions{};
  fill_fopen64_filefunc(&functions);
  functions.zopen64_file = open_text;
  functions.opaque = &packed;
  std::unique_ptr<void, int (*)(unzFile)> archive(unzOpen2_64("", &functions), unzClose);
  unz_global_info64 info{};
  if (!archive || unzGetGlobalInfo64(archive.get(), &info) != UNZ_OK) return broken("zip");
  if (info.number_entry != 1) {
    return error("a zip archive of " + std::to_string(info.number_entry) +
                 " files: unpack it, and name its directory");
  }
  unz_file_info64 file{};
  if (unzGoToFirstFile(archive.get()) != UNZ_OK ||
      unzGetCurrentFileInfo64(archive.get(), &file, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
      unzOpenCurrentFile(archive.get()) != UNZ_OK) {
    return broken("zip");
  }
  size_t unpacked = 0;
  Unpacked plain(most_bytes);
  while (true) {
    if (!plain.make_room()) return plain.too_large();
    auto room = static_cast<unsigned>(std::min<size_t>(plain.room(), INT32_MAX));
    int got = unzReadCurrentFile(archive.get(), plain.end(), room);
    if (got < 0) return broken("zip");
    plain.take(static_cast<size_t>(got));
    unpacked += static_cast<size_t>(got);
    if (got == 0) break;
  }
  // The checksum is only compared where the size is right.
  bool whole = unpacked == file.uncompressed_size;
  if (unzCloseCurrentFile(archive.get()) != UNZ_OK || !whole) return broken("zip");
  return plain.finish();
}

}  // namespace

Result<std::string> unpack(std::string text, size_t most_bytes) {
  if (text.starts_with(kGzip)) return unpack_gzip(text, most_bytes);
  if (text.starts_with(kZstandard)) return unpack_zstandard(text, most_bytes);
  if (text.starts_with(kZip)) return unpack_zip(text, most_bytes);
  return text;
}

std::string_view unpacked_name(std::string_view name) {
  for (std::string_view ending : kEndings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

}  // namespace trellis
