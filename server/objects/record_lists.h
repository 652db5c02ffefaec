// All records of a reading, and one record apart from them.
#pragma once

#include <boost/container/small_vector.hpp>
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "server/objects/kueue_records.h"
#include "server/objects/records.h"

namespace trellis {

struct RecordLists;

// A record of any kind, with the list that it belongs to.
class KeptRecord {
 public:
  virtual ~KeptRecord() = default;
  virtual void copy_to(RecordLists& lists) const = 0;
};
using KeptRecords = boost::container::small_vector<std::unique_ptr<const KeptRecord>, 1>;

struct RecordLists {
  Records records;
  KueueRecords kueue;
  KeptRecords* apart = nullptr;  // not null: add() adds to these instead

  template <class List>
  List& of(List Records::*list) {
    return records.*list;
  }
  template <class List>
  List& of(List KueueRecords::*list) {
    return kueue.*list;
  }
  template <class List, class Lists>
  void add(typename List::value_type record, List Lists::*list);
  // Moves all records of `other` behind those of each list, and its cycle in the place of none.
  void append(RecordLists& other);
};

template <class List, class Lists>
class RecordOf final : public KeptRecord {
 public:
  using Record = typename List::value_type;
  RecordOf(Record record, List Lists::*list) : list_(list), record_(std::move(record)) {}

  void copy_to(RecordLists& lists) const override {
    List& list = lists.of(list_);
    if constexpr (std::same_as<List, std::vector<Record>>) {
      if (list.capacity() == 0) list.reserve(kFirst);
    }
    list.push_back(record_);
  }

 private:
  // A vector that grows one by one moves its first records often, and a part has few of them.
  static constexpr size_t kFirst = 16;

  List Lists::*list_;
  Record record_;
};

template <class List, class Lists>
void RecordLists::add(typename List::value_type record, List Lists::*list) {
  if (apart == nullptr) {
    of(list).push_back(std::move(record));
  } else {
    apart->push_back(std::make_unique<RecordOf<List, Lists>>(std::move(record), list));
  }
}

}  // namespace trellis
