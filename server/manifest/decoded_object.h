// An object as it was decoded once, to be added to each reading that needs it.
//
// Guarantees: immutable; holds no part of the text that it was decoded from. Adding it to a reading
// (ObjectLoader::add()) has the result of decoding the text in that reading.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/time.h"
#include "server/document/diagnostic.h"
#include "server/document/place.h"
#include "server/objects/kueue_records.h"
#include "server/objects/records.h"

namespace trellis {

// A record of any kind, with the list that it belongs to.
class KeptRecord {
 public:
  virtual ~KeptRecord() = default;
  virtual void copy_to(Records& records, KueueRecords& kueue) const = 0;
};

template <class Lists, class Record>
class RecordOf final : public KeptRecord {
 public:
  using List = std::vector<Record> Lists::*;
  RecordOf(List list, Record record) : list_(list), record_(std::move(record)) {}

  void copy_to(Records& records, KueueRecords& kueue) const override {
    if constexpr (std::is_same_v<Lists, Records>) {
      copy_to(records.*list_);
    } else {
      copy_to(kueue.*list_);
    }
  }

 private:
  // A vector that grows one by one moves its first records often, and a part has few of them.
  static constexpr size_t kFirst = 16;

  void copy_to(std::vector<Record>& list) const {
    if (list.capacity() == 0) list.reserve(kFirst);
    list.push_back(record_);
  }

  List list_;
  Record record_;
};

// By what an object is told from all others.
struct Identity {
  ObjectKey key;  // of a topology without the group
  SourcePos pos;
  bool namespaced = false;
  bool topology = false;
};

struct DecodedObject {
  Identity identity;
  uint32_t name_line = 0;                           // of its name
  std::optional<std::pair<ObjectKey, StrId>> pool;  // the value of the shard's label
  TimeUs newest = kNoTime;
  boost::container::small_vector<std::unique_ptr<const KeptRecord>, 1> records;
  std::vector<Diagnostic> diagnostics;
};

}  // namespace trellis
