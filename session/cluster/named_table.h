// Records of one kind by stable id, found by name. A removed record leaves a vacant slot that a
// later one may take; slot order carries no meaning. Cost: every change one hash look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/indexed_vector.h"
#include "session/cluster/name_index.h"

namespace trellis {

// The name of a record.
template <class Record>
const std::string& record_name(const Record& record) {
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
