// Keeps or drops the record of an object with an error, as the row of its kind specifies. No other
// code lets an error decide about a whole object.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/first_error.h"
#include "server/document/object_error.h"
#include "server/objects/kinds.h"
#include "server/objects/record_lists.h"

namespace trellis {

class RecordKeeper {
 public:
  // REQUIRES: `first` was constructed before any part of the object was read.
  RecordKeeper(const Kind& kind, std::string_view name, const FirstError& first, RecordLists& lists)
      : kind_(kind), name_(name), first_(first), lists_(lists) {}

  // Adds the object's record to `list`. REQUIRES: the object is decoded completely.
  template <class List, class Lists>
  void keep(typename List::value_type record, List Lists::*list) const {
    SharedValue<ObjectError> error = first_.in(kind_.kind, name_);
    if (error && kind_.on_error == OnError::LeaveOut) return;
    if (kind_.on_error == OnError::KeepBroken) record.meta.error = std::move(error);
    lists_.add(std::move(record), list);
  }

 private:
  const Kind& kind_;
  std::string_view name_;
  const FirstError& first_;
  RecordLists& lists_;
};

}  // namespace trellis
