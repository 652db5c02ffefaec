// The undo log: (what, old value) records; rolling back walks them from the end.
//
// Guarantees: after rollback(mark) every cell that was set since mark() has its old value, bit for
// bit, and every note since then was handed back, newest first.
// Cost: mark O(1); set O(1); rollback O(records since the mark).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/ids.h"

namespace trellis {

class UndoLog {
 public:
  using Mark = size_t;

  // Something beside cells that must be undone in order.
  struct Note {
    enum class Kind : uint8_t { Touched, Placed, Removed } kind = Kind::Touched;
    NodeId node;
    PodId pod;
  };

  Mark mark() const { return records_.size(); }

  void set(int64_t& cell, int64_t value) {
    records_.push_back({&cell, cell, {}});
    cell = value;
  }
  void note(Note note) { records_.push_back({nullptr, 0, note}); }

  template <class OnNote>
  void rollback(Mark mark, OnNote on_note) {
    while (records_.size() > mark) {
      const Record& record = records_.back();
      if (record.cell != nullptr) {
        *record.cell = record.old;
      } else {
        on_note(record.note);
      }
      records_.pop_back();
    }
  }

  void clear() { records_.clear(); }

 private:
  struct Record {
    int64_t* cell;  // nullptr: a note
    int64_t old;
    Note note;
  };
  std::vector<Record> records_;
};

}  // namespace trellis
