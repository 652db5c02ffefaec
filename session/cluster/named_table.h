// Records of one kind by stable id, found by key. A removed record leaves a vacant slot that a
// later one may take; slot order carries no meaning. Cost: every change one hash look-up.
//
// The key is the name, after the namespace if there is one. Kinds with many records have an index
// that stores no text: pods (RecordIndex) and gangs (StringIndex).
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/shared_text.h"
#include "framework/string_table.h"

namespace trellis {

// The key of an object among those of its kind: "namespace/name".

inline std::string full_key(std::string_view name_space, std::string_view name) {
  std::string key;
  key.reserve(name_space.size() + name.size() + 1);
  key.append(name_space).append("/").append(name);
  return key;
}

inline std::string full_key(const StringTable& strings, StrId name_space, std::string_view name) {
  return full_key(strings.view(name_space), name);
}

// The name of a record.
template <class Record>
std::string_view record_name(const Record& record) {
  if constexpr (requires { record.pod.name; }) {
    return record.pod.name;
  } else {
    return record.name;
  }
}

// Text -> id, at the edge only; never iterated.
template <class Id, class Record>
class TextIndex {
 public:
  using Key = std::string_view;

  explicit TextIndex(const IndexedVector<Id, Record>& /*records*/) {}
  Id find(Key key) const {
    auto found = ids_.find(key);
    return found == ids_.end() ? Id() : found->second;
  }
  void insert(Key key, Id id) { ids_.emplace(SharedText(key), id); }
  void erase(Key key) {
    if (auto found = ids_.find(key); found != ids_.end()) ids_.erase(found);
  }
  void reserve(size_t size) { ids_.reserve(size); }

 private:
  absl::flat_hash_map<SharedText, Id, TextHash, TextEqual> ids_;
};

// The same by the id of an interned text.
template <class Id, class Record>
class StringIndex {
 public:
  using Key = StrId;

  explicit StringIndex(const IndexedVector<Id, Record>& /*records*/) {}
  Id find(Key key) const {
    auto found = ids_.find(key);
    return found == ids_.end() ? Id() : found->second;
  }
  void insert(Key key, Id id) { ids_.emplace(key, id); }
  void erase(Key key) { ids_.erase(key); }
  void reserve(size_t size) { ids_.reserve(size); }

 private:
  struct Hash {
    size_t operator()(StrId id) const { return absl::Hash<uint32_t>()(id.value); }
  };
  absl::flat_hash_map<StrId, Id, Hash> ids_;
};

// The same by a namespace and a name that are read from the record, so that no key is stored. A
// record has its name as long as it is in the table.
template <class Id, class Record>
class RecordIndex {
 public:
  struct Key {
    StrId name_space;
    std::string_view name;
    bool operator==(const Key&) const = default;
  };

  explicit RecordIndex(const IndexedVector<Id, Record>& records)
      : ids_(0, Hash{&records}, Equal{&records}) {}
  Id find(Key key) const {
    auto found = ids_.find(key);
    return found == ids_.end() ? Id() : *found;
  }
  void insert(Key /*key*/, Id id) { ids_.insert(id); }
  void erase(Key key) {
    if (auto found = ids_.find(key); found != ids_.end()) ids_.erase(found);
  }
  void reserve(size_t size) { ids_.reserve(size); }

 private:
  using Records = IndexedVector<Id, Record>;

  static Key key_of(const Records* /*records*/, Key key) { return key; }
  static Key key_of(const Records* records, Id id) {
    const Record& record = (*records)[id];
    return {record.pod.name_space, record.pod.name};
  }
  struct Hash {
    using is_transparent = void;
    const Records* records;
    template <class Any>
    size_t operator()(const Any& any) const {
      Key key = key_of(records, any);
      return absl::HashOf(key.name_space.value, key.name);
    }
  };
  struct Equal {
    using is_transparent = void;
    const Records* records;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return key_of(records, a) == key_of(records, b);
    }
  };

  absl::flat_hash_set<Id, Hash, Equal> ids_;
};

template <class Id, class Record, template <class, class> class Index = TextIndex>
class NamedTable {
 public:
  using Key = typename Index<Id, Record>::Key;

  NamedTable() : ids_(records_) {}
  NamedTable(const NamedTable&) = delete;
  NamedTable& operator=(const NamedTable&) = delete;

  // Replaces the record of this key, else adds it in a slot of its own. The key may be part of the
  // record.
  Id upsert(Key key, Record&& record) {
    Id id = find(key);
    if (id.valid()) {
      records_[id] = std::move(record);
      return id;
    }
    return add(key, std::move(record));
  }
  // The slot of a key; a new key gets an empty record. REQUIRES: the key is not read from records.
  Id slot(Key key) {
    Id id = find(key);
    return id.valid() ? id : add(key, Record());
  }
  // Makes room for the first records; once there are some, records come one by one.
  void reserve(size_t records) {
    if (!records_.empty()) return;
    records_.reserve(records);
    ids_.reserve(records);
  }
  // kNone: no record has this key.
  Id remove(Key key) {
    Id id = ids_.find(key);
    if (!id.valid()) return id;
    ids_.erase(key);
    records_[id] = Record();
    vacant_.push_back(id);
    return id;
  }
  Id find(Key key) const { return ids_.find(key); }
  bool alive(Id id) const { return !record_name(records_[id]).empty(); }
  std::vector<Id> live() const {
    std::vector<Id> ids;
    for (uint32_t i = 0; i < records_.size(); ++i) {
      if (alive(Id(i))) ids.emplace_back(i);
    }
    return ids;
  }
  size_t size() const { return records_.size(); }
  Record& operator[](Id id) { return records_[id]; }
  const Record& operator[](Id id) const { return records_[id]; }
  // Vacant slots included.
  const IndexedVector<Id, Record>& all() const { return records_; }

 private:
  // The record moves before its key is inserted where the key is read from it, else afterwards, as
  // the key may be part of it.
  Id add(Key key, Record&& record) {
    constexpr bool kReadsRecord = std::same_as<Index<Id, Record>, RecordIndex<Id, Record>>;
    Id id;
    if (vacant_.empty()) {
      id = records_.push_back({});
    } else {
      id = vacant_.back();
      vacant_.pop_back();
    }
    if constexpr (kReadsRecord) records_[id] = std::move(record);
    ids_.insert(key, id);
    if constexpr (!kReadsRecord) records_[id] = std::move(record);
    return id;
  }

  IndexedVector<Id, Record> records_;
  Index<Id, Record> ids_;
  std::vector<Id> vacant_;
};

}  // namespace trellis
