// The undo log: (what, old value) records; rolling back walks them from the end.
//
// Guarantees: after rollback(mark) every cell that was set since mark() has its old value, bit for
// bit, and every note since then was handed back, newest first.
// Cost: mark O(1); set O(1), 16 bytes a record; rollback O(records since the mark).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/append.h"
#include "framework/ids.h"

namespace trellis {

class UndoLog {
 public:
  using Mark = size_t;

  // A change besides cells that must be undone in order.
  struct Note {
    enum class Kind : uint8_t { Touched, Bound, Promised, Evicted } kind = Kind::Touched;
    NodeId node;
    PodId pod;
  };

  Mark mark() const { return records_.size(); }

  void set(int64_t& cell, int64_t value) {
    append(records_, {&cell, cell});
    cell = value;
  }
  void note(Note note) {
    uint64_t packed = (uint64_t{note.node.value} << 32) | note.pod.value;
    append(records_, {&markers_[static_cast<size_t>(note.kind)], static_cast<int64_t>(packed)});
  }

  template <class OnNote>
  void rollback(Mark mark, OnNote on_note) {
    while (records_.size() > mark) {
      Record record = records_.back();
      records_.pop_back();
      size_t kind = kind_of(record.cell);
      if (kind >= kKinds) {
        *record.cell = record.old;
        continue;
      }
      uint64_t packed = static_cast<uint64_t>(record.old);
      on_note(Note{static_cast<Note::Kind>(kind), NodeId(static_cast<uint32_t>(packed >> 32)),
                   PodId(static_cast<uint32_t>(packed))});
    }
  }

  void clear() { records_.clear(); }

 private:
  static constexpr size_t kKinds = 4;

  struct Record {
    int64_t* cell;  // a marker: the record is a note of its kind
    int64_t old;
  };

  // kKinds or more: an ordinary cell.
  size_t kind_of(const int64_t* cell) const {
    return (reinterpret_cast<uintptr_t>(cell) - reinterpret_cast<uintptr_t>(markers_)) /
           sizeof(int64_t);
  }

  std::vector<Record> records_;
  int64_t markers_[kKinds] = {};  // only their addresses mean anything
};

}  // namespace trellis
