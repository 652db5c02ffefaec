// JSON into documents: one value, values one after the other (JSON lines among them), arrays,
// lists.
#pragma once

#include <string_view>

#include "server/document/document_sink.h"

namespace trellis {

// Reads every value of `text`. The items of an array, and of a list object's `items`, come one by
// one as documents of their own, so that memory is bounded by one of them. A value that cannot be
// read makes a diagnostic; reading goes on behind it where its brackets close, else at the next
// line that begins with '{' or '['. `text` must be followed by a zero byte.
void read_json(std::string_view text, const ReadSink& sink);

}  // namespace trellis
