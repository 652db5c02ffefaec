#include <absl/container/flat_hash_map.h>

#include <bit>
#include <memory>

#include "framework/check.h"
#include "server/snapshot/byte_reader.h"
#include "server/snapshot/record_codec.h"
#include "server/snapshot/record_parts.h"

namespace trellis {
namespace {

// NOLINTBEGIN(misc-no-recursion): as deep as the types of records, and as owners that owners make.
class RecordWriter {
 public:
  explicit RecordWriter(std::string& bytes) : bytes_(bytes) {}

  template <class T>
  void write(const T& part) {
    if constexpr (kIsText<T>) {
      write_text(part);
    } else if constexpr (kIsId<T>) {
      put_number(bytes_, code_of(part));
    } else if constexpr (kIs<MaybeOf, T>) {
      put_number(bytes_, code_of(part.raw()));
    } else if constexpr (std::is_same_v<T, double>) {
      put_fixed<8>(bytes_, std::bit_cast<uint64_t>(part));
    } else if constexpr (std::is_enum_v<T>) {
      put_number(bytes_, static_cast<uint64_t>(part));
    } else if constexpr (std::is_signed_v<T>) {
      put_signed(bytes_, part);
    } else if constexpr (std::is_unsigned_v<T>) {
      put_number(bytes_, part);
    } else {
      write_parts(part);
    }
  }

 private:
  static uint64_t code_of(auto id) { return id.valid() ? uint64_t{id.value} + 1 : 0; }

  template <class T>
  void write_parts(const T& part) {
    if constexpr (kIs<OptionalOf, T>) {
      put_number(bytes_, part ? 1 : 0);
      if (part) write(*part);
    } else if constexpr (kIs<ListOf, T> || kIs<MapOf, T>) {
      put_number(bytes_, part.size());
      for (const auto& item : part) write(item);
    } else if constexpr (kIs<ArrayOf, T>) {
      for (const auto& item : part) write(item);
    } else if constexpr (kIsPair<T>) {
      write(part.first);
      write(part.second);
    } else if constexpr (kIs<SharedOf, T>) {
      write_shared(part);
    } else if constexpr (std::is_same_v<T, cel::Quantity>) {
      put_signed(bytes_, static_cast<int64_t>(part.nanos() >> 64));
      put_number(bytes_, static_cast<uint64_t>(part.nanos()));
    } else if constexpr (std::is_same_v<T, cel::Value>) {
      write_value(part);
    } else if constexpr (std::is_same_v<T, ResourceList>) {
      put_number(bytes_, part.items().size());
      for (const ResourceAmount& item : part.items()) write(item);
    } else if constexpr (std::is_same_v<T, SourcePos>) {
      write_pos(part);
    } else if constexpr (std::is_same_v<T, Meta>) {
      write_meta(part);
    } else if constexpr (std::is_same_v<T, ReadObject>) {
      write_key(part.key);
      write_pos(part.pos);
    } else {
      with_parts(part, [this](const auto&... parts) { (write(parts), ...); });
    }
  }

  // The values that an attribute of a device may have.
  void write_value(const cel::Value& value) {
    write(value.kind());
    switch (value.kind()) {
      case cel::Kind::Bool:
        return put_number(bytes_, value.is_true() ? 1 : 0);
      case cel::Kind::Int:
        return put_signed(bytes_, value.int_value());
      case cel::Kind::Semver:
        return put_text(bytes_, value.semver().text());
      case cel::Kind::List:
        put_number(bytes_, value.items().size());
        for (const cel::Value& item : value.items()) write_value(item);
        return;
      default:
        put_text(bytes_, value.text());
    }
  }

  void write_text(const std::string& text) { put_text(bytes_, text); }
  // Reasons of readers name no plugin.
  void write_text(std::string_view plugin) { require(plugin.empty(), "a reader is no plugin"); }
  void write_text(const SharedText& text) {
    if (text.empty()) return put_number(bytes_, kNoValue);
    auto [found, added] = texts_.emplace(text.view(), texts_.size());
    if (!added) return put_number(bytes_, kFirstNumber + found->second);
    put_number(bytes_, kNewValue);
    put_text(bytes_, text);
  }

  template <class Pointer>
  void write_shared(const Pointer& pointer) {
    using T = typename SharedOf<Pointer>::type;
    const T* value = nullptr;
    if constexpr (std::is_same_v<Pointer, SharedSpec>) {
      value = pointer.identity();
    } else {
      value = pointer.get();
    }
    if (value == nullptr) return put_number(bytes_, kNoValue);
    size_t type = type_number<Pointer>();
    if (type >= values_.size()) values_.resize(type + 1);
    auto [found, added] = values_[type].emplace(value, values_[type].size());
    if (!added) return put_number(bytes_, kFirstNumber + found->second);
    put_number(bytes_, kNewValue);
    write(*value);
  }

  void write_change(int64_t value, int64_t& last) {
    // The difference may wrap around, as the reader's sum does.
    put_signed(bytes_,
               static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(last)));
    last = value;
  }
  // Objects follow each other in the order in which their names came.
  void write_key(const ObjectKey& key) {
    write(key.group);
    write(key.kind);
    write(key.name_space);
    write_change(static_cast<int64_t>(code_of(key.name)), last_name_);
  }
  void write_pos(const SourcePos& pos) {
    write(pos.file);
    write_change(pos.line, last_line_);
    write_change(pos.document, last_document_);
  }
  void write_meta(const Meta& meta) {
    static_assert(member_count<Meta>() == 6);
    write_key(meta.key);
    write(meta.uid);
    put_signed(bytes_, meta.created);
    put_number(bytes_, meta.owner == ObjectKey() ? 0 : 1);
    if (meta.owner != ObjectKey()) write(meta.owner);
    write(meta.pos);
    write(meta.error);
  }

  std::string& bytes_;
  absl::flat_hash_map<std::string, size_t> texts_;
  std::vector<absl::flat_hash_map<const void*, size_t>> values_;  // by type_number()
  int64_t last_name_ = 0;
  int64_t last_line_ = 0;
  int64_t last_document_ = 0;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

std::string write_records(const InputRecords& records, const Vocabulary& vocabulary) {
  std::string bytes;
  put_number(bytes, vocabulary.resources.size());
  for (size_t i = 0; i < vocabulary.resources.size(); ++i) {
    put_text(bytes, vocabulary.resources.name(ResourceId(i)));
  }
  put_number(bytes, vocabulary.strings.size());
  for (size_t i = 0; i < vocabulary.strings.size(); ++i) {
    put_text(bytes, vocabulary.strings.view(StrId(i)));
  }
  RecordWriter(bytes).write(records);
  return bytes;
}

}  // namespace trellis
