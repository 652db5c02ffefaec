#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "server/snapshot/byte_reader.h"
#include "server/snapshot/record_codec.h"
#include "server/snapshot/record_parts.h"

namespace trellis {
namespace {

// Owners that are made by owners that are made: no controller makes more.
constexpr int kMostDepth = 8;

// NOLINTBEGIN(misc-no-recursion): as deep as the types of records, and as owners that owners make.
class RecordReader {
 public:
  RecordReader(ByteReader& in, uint32_t first_file, Vocabulary& vocabulary)
      : in_(in), first_file_(first_file) {
    for (uint64_t left = in_.number(); left > 0 && !in_.failed(); --left) {
      resources_.push_back(vocabulary.resources.intern(in_.text()));
    }
    uint64_t strings = in_.number();
    strings_.reserve(std::min<uint64_t>(strings, in_.left()));
    for (; strings > 0 && !in_.failed(); --strings) {
      strings_.push_back(vocabulary.strings.intern(in_.text()));
    }
  }

  template <class T>
  void read(T& part) {
    if constexpr (kIsText<T>) {
      read_text(part);
    } else if constexpr (kIsId<T>) {
      part = id_of<T>(in_.number());
    } else if constexpr (kIs<MaybeOf, T>) {
      part = id_of<typename MaybeOf<T>::type>(in_.number());
    } else if constexpr (std::is_same_v<T, double>) {
      part = std::bit_cast<double>(in_.fixed<8>());
    } else if constexpr (std::is_same_v<T, bool>) {
      part = limited(2) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      part = static_cast<T>(limited(enumerator_count<T>()));
    } else if constexpr (std::is_signed_v<T>) {
      part = fitting<T>(in_.signed_number());
    } else if constexpr (std::is_unsigned_v<T>) {
      part = fitting<T>(in_.number());
    } else {
      read_parts(part);
    }
  }

 private:
  uint64_t limited(uint64_t end) {
    uint64_t value = in_.number();
    if (value < end) return value;
    in_.fail();
    return 0;
  }
  template <class T>
  T fitting(auto value) {
    if (std::in_range<T>(value)) return static_cast<T>(value);
    in_.fail();
    return T();
  }

  template <class Id>
  Id id_of(uint64_t code) {
    if (code == 0) return Id();
    if constexpr (std::is_same_v<Id, StrId>) {
      if (code <= strings_.size()) return strings_[code - 1];
    } else if constexpr (std::is_same_v<Id, ResourceId>) {
      if (code <= resources_.size()) return resources_[code - 1];
    } else {
      if (code <= Id::kNoneValue) return Id(static_cast<uint32_t>(code - 1));
    }
    in_.fail();
    return Id();
  }

  // Whatever the part had before, as members may have defaults.
  template <class T>
  void read_parts(T& part) {
    if constexpr (kIs<OptionalOf, T>) {
      part.reset();
      if (limited(2) == 1) read(part.emplace());
    } else if constexpr (kIs<ListOf, T>) {
      read_list(part);
    } else if constexpr (kIs<MapOf, T>) {
      part.clear();
      for (uint64_t left = in_.number(); left > 0 && !in_.failed(); --left) {
        typename MapOf<T>::type item;
        read(item);
        part.insert(std::move(item));
      }
    } else if constexpr (kIs<ArrayOf, T>) {
      for (auto& item : part) read(item);
    } else if constexpr (kIsPair<T>) {
      read(part.first);
      read(part.second);
    } else if constexpr (kIs<SharedOf, T>) {
      read_shared(part);
    } else if constexpr (std::is_same_v<T, cel::Quantity>) {
      auto high = static_cast<uint64_t>(in_.signed_number());
      __extension__ auto whole = static_cast<unsigned __int128>(high) << 64 | in_.number();
      part = cel::Quantity::of_nanos(static_cast<cel::Quantity::Nanos>(whole));
    } else if constexpr (std::is_same_v<T, cel::Value>) {
      part = read_value(kMostDepth);
    } else if constexpr (std::is_same_v<T, ResourceList>) {
      for (uint64_t left = in_.number(); left > 0 && !in_.failed(); --left) {
        ResourceAmount item;
        read(item);
        if (item.resource.valid()) part.set(item.resource, item.amount);
      }
    } else if constexpr (std::is_same_v<T, SourcePos>) {
      read_pos(part);
    } else if constexpr (std::is_same_v<T, Meta>) {
      read_meta(part);
    } else if constexpr (std::is_same_v<T, ReadObject>) {
      read_key(part.key);
      read_pos(part.pos);
    } else {
      with_parts(part, [this](auto&... parts) { (read(parts), ...); });
    }
  }

  cel::Value read_value(int depth) {
    cel::Kind kind = cel::Kind::Null;
    read(kind);
    if (kind == cel::Kind::Bool) return cel::Value::boolean(limited(2) == 1);
    if (kind == cel::Kind::Int) return cel::Value::integer(in_.signed_number());
    if (kind == cel::Kind::List) {
      cel::List items;
      uint64_t left = in_.number();
      if (depth == 0 || left > in_.left()) in_.fail();
      for (; left > 0 && !in_.failed(); --left) items.push_back(read_value(depth - 1));
      return cel::Value::list(std::move(items));
    }
    std::string text(in_.text());
    if (kind == cel::Kind::String) return cel::Value::string(std::move(text));
    if (kind == cel::Kind::Error) return cel::Value::error(std::move(text));
    cel::ParsedSemver version = cel::parse_semver(text, cel::SemverForm::Strict);
    if (kind != cel::Kind::Semver || !version.error.empty()) in_.fail();
    return cel::Value::semver(std::move(version.version));
  }

  // An item has a byte at least.
  template <class List>
  void read_list(List& list) {
    if (!list.empty()) list.clear();  // of a deque without blocks, undefined
    uint64_t items = in_.number();
    if (items > in_.left()) return in_.fail();
    if (items == 0) return;
    if constexpr (requires { list.reserve(items); }) list.reserve(items);
    for (; items > 0 && !in_.failed(); --items) read(list.emplace_back());
  }

  void read_text(std::string& text) { text = in_.text(); }
  void read_text(std::string_view& plugin) { plugin = {}; }
  void read_text(SharedText& text) {
    uint64_t code = in_.number();
    if (code == kNoValue) return;
    if (code == kNewValue) {
      text = texts_.emplace_back(in_.text());
    } else if (code - kFirstNumber < texts_.size()) {
      text = texts_[code - kFirstNumber];
    } else {
      in_.fail();
    }
  }

  template <class Pointer>
  void read_shared(Pointer& pointer) {
    using T = typename SharedOf<Pointer>::type;
    uint64_t code = in_.number();
    if (code == kNoValue) return;
    if (code == kNewValue) {
      if (++depth_ > kMostDepth) return in_.fail();
      size_t number = values_of<Pointer>().size();
      values_of<Pointer>().emplace_back();
      T value;
      read(value);
      --depth_;
      if constexpr (std::is_same_v<Pointer, std::shared_ptr<const T>>) {
        pointer = std::make_shared<const T>(std::move(value));
      } else {
        pointer = Pointer(std::move(value));
      }
      values_of<Pointer>()[number] = pointer;
    } else if (code - kFirstNumber < values_of<Pointer>().size()) {
      pointer = values_of<Pointer>()[code - kFirstNumber];
    } else {
      in_.fail();
    }
  }

  // The values of one type, in the order in which their writing began.
  template <class Pointer>
  std::vector<Pointer>& values_of() {
    size_t type = type_number<Pointer>();
    if (type >= values_.size()) values_.resize(type + 1);
    if (!values_[type]) values_[type] = std::make_unique<ValuesOf<Pointer>>();
    return static_cast<ValuesOf<Pointer>&>(*values_[type]).list;
  }

  int64_t changed(int64_t& last) {
    last = static_cast<int64_t>(static_cast<uint64_t>(last) +
                                static_cast<uint64_t>(in_.signed_number()));
    return last;
  }
  void read_key(ObjectKey& key) {
    read(key.group);
    read(key.kind);
    read(key.name_space);
    key.name = id_of<StrId>(static_cast<uint64_t>(changed(last_name_)));
  }
  void read_pos(SourcePos& pos) {
    read(pos.file);
    pos.file += first_file_;
    pos.line = fitting<uint32_t>(changed(last_line_));
    pos.document = changed(last_document_);
  }
  void read_meta(Meta& meta) {
    read_key(meta.key);
    read(meta.uid);
    read(meta.created);
    if (limited(2) == 1) read(meta.owner);
    read(meta.pos);
    read(meta.error);
  }

  struct Values {
    virtual ~Values() = default;
  };
  template <class Pointer>
  struct ValuesOf final : Values {
    std::vector<Pointer> list;
  };

  ByteReader& in_;
  uint32_t first_file_;
  std::vector<ResourceId> resources_;
  std::vector<StrId> strings_;
  std::vector<SharedText> texts_;
  std::vector<std::unique_ptr<Values>> values_;  // by type_number()
  int depth_ = 0;
  int64_t last_name_ = 0;
  int64_t last_line_ = 0;
  int64_t last_document_ = 0;
};
// NOLINTEND(misc-no-recursion)

// Whether the texts of a table have increasing ids in another table.
template <class Table>
bool table_keeps_order(ByteReader& in, const Table& table) {
  uint64_t next = table.size();
  uint64_t before = 0;
  uint64_t count = in.number();
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    std::string_view text = in.text();
    auto found = table.find(text);
    uint64_t id = found.valid() ? found.value : next++;
    if (i > 0 && id <= before) return false;
    before = id;
  }
  return !in.failed();
}

}  // namespace

bool keeps_order(std::string_view bytes, const Vocabulary& vocabulary) {
  ByteReader in(bytes);
  if (!table_keeps_order(in, vocabulary.resources)) return false;
  // In a new table each text gets its own place.
  return vocabulary.strings.size() == 1 || table_keeps_order(in, vocabulary.strings);
}

std::optional<InputRecords> read_records(std::string_view bytes, uint32_t first_file,
                                         Vocabulary& vocabulary) {
  ByteReader in(bytes);
  InputRecords records;
  RecordReader(in, first_file, vocabulary).read(records);
  if (in.failed() || in.left() > 0) return std::nullopt;
  return records;
}

}  // namespace trellis
