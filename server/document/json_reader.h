// Reads JSON into documents: one value, several values in turn (such as JSON lines), arrays, lists.
#pragma once

#include <string_view>

#include "server/document/document_sink.h"

namespace trellis {

// Reads every value of `text`. Each item of an array, and of a list object's `items`, is a document
// of its own, so that memory is bounded by one of them. A value that cannot be read makes a
// diagnostic; reading continues behind the value where its brackets close, else at the next line
// that begins with '{' or '['. REQUIRES: a zero byte follows `text`.
void read_json(std::string_view text, const ReadSink& sink);

}  // namespace trellis
