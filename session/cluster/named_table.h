// Records of one kind by stable id, found by name. A removed record leaves a vacant slot that a
// later one may take; slot order carries no meaning. Cost: every change one hash look-up.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Name -> id, at the edge only; never iterated.
template <class Id>
class NameIndex {
 public:
  Id find(std::string_view name) const {
    auto found = ids_.find(name);
    return found == ids_.end() ? Id() : found->second;
  }
  void set(std::string_view name, Id id) { ids_.insert_or_assign(SharedText(name), id); }
  void erase(std::string_view name) {
    if (auto found = ids_.find(name); found != ids_.end()) ids_.erase(found);
  }
  size_t size() const { return ids_.size(); }
  void reserve(size_t size) { ids_.reserve(size); }

 private:
  absl::flat_hash_map<SharedText, Id, TextHash, TextEqual> ids_;
};

// The name of a record.
template <class Record>
std::string_view record_name(const Record& record) {
  if constexpr (requires { record.pod.name; }) {
    return record.pod.name;
  } else {
    return record.name;
  }
}

template <class Id, class Record>
class NamedTable {
 public:
  // Replaces the record of this name, else adds it in a slot of its own. The name may be part of
  // the record.
  Id upsert(std::string_view name, Record&& record) {
    Id id = slot(name);
    records_[id] = std::move(record);
    return id;
  }
  // The slot of a name; a new name gets an empty record.
  Id slot(std::string_view name) {
    Id id = ids_.find(name);
    if (id.valid()) return id;
    if (vacant_.empty()) {
      id = records_.push_back({});
    } else {
      id = vacant_.back();
      vacant_.pop_back();
    }
    ids_.set(name, id);
    return id;
  }
  // Makes room for the first records; once there are some, records come one by one.
  void reserve(size_t records) {
    if (!records_.empty()) return;
    records_.reserve(records);
    ids_.reserve(records);
  }
  // kNone: no record has this name.
  Id remove(std::string_view name) {
    Id id = ids_.find(name);
    if (!id.valid()) return id;
    ids_.erase(name);
    records_[id] = Record();
    vacant_.push_back(id);
    return id;
  }
  Id find(std::string_view name) const { return ids_.find(name); }
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
  IndexedVector<Id, Record> records_;
  NameIndex<Id> ids_;
  std::vector<Id> vacant_;
};

}  // namespace trellis
