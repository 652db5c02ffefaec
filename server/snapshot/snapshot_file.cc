#include "server/snapshot/snapshot_file.h"

#include <xxhash.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "framework/check.h"
#include "server/snapshot/byte_reader.h"
#include "server/version.h"

namespace trellis {
namespace {

constexpr int kRecordsLevel = 3;
constexpr int kTextsLevel = 3;
constexpr size_t kHashBytes = 8;
constexpr size_t kBeforeHead = kSnapshotMagic.size() + 2 * sizeof(uint32_t);
constexpr uint64_t kMostHeadBytes = 4096;

uint64_t hash_of_bytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

tl::unexpected<Error> cut_short() {
  return error(
      "a Trellis snapshot that ends too early: copy it again, or make it again with "
      "'trellis snapshot save'");
}

tl::unexpected<Error> not_as_written(std::string_view what) {
  return error("a Trellis snapshot whose " + std::string(what) +
               " are not as they were written: copy it again, or make it again with 'trellis "
               "snapshot save'");
}

void put_part(std::string& head, uint64_t plain_bytes, std::string_view packed) {
  put_fixed<8>(head, plain_bytes);
  put_fixed<8>(head, packed.size());
  put_fixed<8>(head, hash_of_bytes(packed));
}

// Takes the next part of the rest of a file.
struct PartHead {
  uint64_t plain_bytes;
  uint64_t packed_bytes;
  uint64_t hash;
  explicit PartHead(ByteReader& head)
      : plain_bytes(head.fixed<8>()), packed_bytes(head.fixed<8>()), hash(head.fixed<8>()) {}
};

}  // namespace

std::string snapshot_program() {
  std::string text = "trellis " + std::string(kVersion);
  if (!kCommit.empty()) text += " (" + std::string(kCommit) + ")";
  return text;
}

Result<SnapshotParts> open_snapshot(std::string_view bytes) {
  ByteReader in(bytes);
  in.bytes(kSnapshotMagic.size());
  uint64_t format = in.fixed<4>();
  uint64_t head_bytes = in.fixed<4>();
  if (in.failed()) return cut_short();
  if (format != kSnapshotFormat) {
    return error("a Trellis snapshot of format " + std::to_string(format) +
                 ", where this version reads format " + std::to_string(kSnapshotFormat) +
                 ": make it again with 'trellis snapshot save' of this version");
  }
  if (head_bytes > kMostHeadBytes) return not_as_written("first bytes");
  ByteReader head(in.bytes(head_bytes));
  uint64_t hash = in.fixed<kHashBytes>();
  if (in.failed()) return cut_short();
  if (hash != hash_of_bytes(bytes.substr(0, kBeforeHead + head_bytes)))
    return not_as_written("first bytes");
  SnapshotParts parts{.structure = head.fixed<8>(), .program = {}, .records = {}, .texts = {}};
  PartHead records(head);
  PartHead texts(head);
  parts.program = head.bytes(head.left());
  parts.records = {records.plain_bytes, in.bytes(records.packed_bytes)};
  parts.texts = {texts.plain_bytes, in.bytes(texts.packed_bytes)};
  if (in.failed()) return cut_short();
  if (in.left() > 0) return not_as_written("last bytes");
  if (hash_of_bytes(parts.records.packed) != records.hash) return not_as_written("records");
  if (hash_of_bytes(parts.texts.packed) != texts.hash) return not_as_written("texts");
  return parts;
}

Result<std::string> unpack_part(const PackedPart& part, size_t most_bytes) {
  if (part.plain_bytes > most_bytes) {
    return error("more than " + std::to_string((most_bytes + 1) >> 20) + " MiB when unpacked");
  }
  std::string plain(part.plain_bytes, '\0');
  size_t bytes =
      ZSTD_decompress(plain.data(), plain.size(), part.packed.data(), part.packed.size());
  if (bytes != plain.size()) return not_as_written("bytes");
  return plain;
}

bool next_text(std::string_view texts, size_t& at, SnapshotText& text) {
  ByteReader in(texts.substr(at));
  if (in.left() == 0) return false;
  text.name = in.text();
  text.text = in.text();
  in.bytes(1);
  at = texts.size() - in.left();
  return !in.failed();
}

struct SnapshotWriter::Packer {
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::string packed;

  void take(std::string_view bytes, ZSTD_EndDirective directive) {
    std::vector<char> buffer(ZSTD_CStreamOutSize());
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, directive);
      require(ZSTD_isError(left) == 0, "Zstandard has memory to pack with");
      packed.append(buffer.data(), out.pos);
    } while (in.pos < in.size || (directive == ZSTD_e_end && left > 0));
  }
};

SnapshotWriter::SnapshotWriter() : packer_(std::make_unique<Packer>()) {
  ZSTD_CCtx_setParameter(packer_->context.get(), ZSTD_c_compressionLevel, kTextsLevel);
}

SnapshotWriter::~SnapshotWriter() = default;

void SnapshotWriter::add_text(std::string_view name, std::string_view text) {
  std::string before;
  put_text(before, name);
  put_number(before, text.size());
  text_bytes_ += before.size() + text.size() + 1;
  packer_->take(before, ZSTD_e_continue);
  packer_->take(text, ZSTD_e_continue);
  packer_->take(std::string_view("\0", 1), ZSTD_e_continue);
}

std::string SnapshotWriter::finish(std::string_view records, uint64_t structure,
                                   std::string_view program) {
  packer_->take({}, ZSTD_e_end);
  std::string packed(ZSTD_compressBound(records.size()), '\0');
  size_t bytes =
      ZSTD_compress(packed.data(), packed.size(), records.data(), records.size(), kRecordsLevel);
  require(ZSTD_isError(bytes) == 0, "Zstandard has memory to pack with");
  packed.resize(bytes);
  std::string head;
  put_fixed<8>(head, structure);
  put_part(head, records.size(), packed);
  put_part(head, text_bytes_, packer_->packed);
  head.append(program);
  std::string file(kSnapshotMagic);
  put_fixed<4>(file, kSnapshotFormat);
  put_fixed<4>(file, head.size());
  file += head;
  put_fixed<kHashBytes>(file, hash_of_bytes(file));
  return file.append(packed).append(packer_->packed);
}

}  // namespace trellis
