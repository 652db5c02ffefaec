// The records of an input as bytes, with the vocabulary that they are of.
//
// Guarantees: the same records give the same bytes on every machine; reading them gives equal
// records, and texts, specs and other values that were shared are shared. Bytes that nothing has
// written give an error or some records, and never more memory than in proportion to the bytes.
// Cost: O(bytes).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/vocabulary.h"
#include "server/snapshot/input_records.h"

namespace trellis {

std::string write_records(const InputRecords& records, const Vocabulary& vocabulary);

// Whether the ids of the written records have the order that those of `vocabulary` would get.
// Records have parts in the order of ids, so that they can be read only then.
bool keeps_order(std::string_view bytes, const Vocabulary& vocabulary);

// nullopt: the bytes are no records. Locations name the first file by the number `first_file`.
// REQUIRES: keeps_order().
std::optional<InputRecords> read_records(std::string_view bytes, uint32_t first_file,
                                         Vocabulary& vocabulary);

}  // namespace trellis
