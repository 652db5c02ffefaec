// The receiver of a reader's documents and errors.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

// What the list around a document says of its items, when it was read piece by piece.
struct ListHead {
  std::string_view kind;  // "PodList", "List"; "": not in a list, or the list does not say
  std::string_view api_version;
};

struct ReadSink {
  std::string_view file;  // as diagnostics name it
  std::vector<Diagnostic>* diagnostics;
  // Called for each document but empty ones; the document only lives through the call.
  std::function<void(const Document&, const ListHead&)> document;
  std::function<void(int64_t bytes)> progress;  // how far into the file; may be empty
};

}  // namespace trellis
