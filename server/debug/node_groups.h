// What the page colours nodes and domains by, beside amounts: the gang or the queue that holds most
// of a row, the state of its nodes, or how long its oldest pod has been there.
//
// Cost: O(pods + nodes) for a question.
#pragma once

#include <cstdint>
#include <string_view>

#include "framework/indexed_vector.h"
#include "server/debug/cycle_view.h"
#include "server/document/document_writer.h"

namespace trellis {

// REQUIRES: the order of GroupBy.
inline constexpr std::string_view kGroupings[] = {"none", "gang", "queue", "state", "age"};
enum class GroupBy : uint8_t { None, Gang, Queue, State, Age };

GroupBy grouping_of(std::string_view word);  // "": None

// The row of each node; negative: none.
struct RowsOfNodes {
  IndexedVector<NodeId, int32_t> row;
  size_t rows = 0;
};

// Writes "groups", the names, and "group", for each row the index of its name, negative where there
// is none; of ages "ages", in seconds, negative where no pod is. Nothing for None.
//
// A row belongs to the gang or queue whose pods hold most of its GPUs; where none are held, of its
// CPUs; then to the first by name. Its state is that of most of its nodes.
void write_groups(DocumentWriter& out, const CycleView& view, GroupBy by, const RowsOfNodes& nodes);

}  // namespace trellis
