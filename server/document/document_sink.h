// The receiver of a reader's documents and errors.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

// The kind and version of the list around a document, when the list is read item by item.
struct ListHead {
  std::string_view kind;  // "PodList", "List"; "": not in a list, or the list has no kind
  std::string_view api_version;
};

struct ReadSink {
  std::string_view file;  // as diagnostics name it
  std::vector<Diagnostic>* diagnostics;
  // Called for each document but empty ones. The document is valid during the call alone, but its
  // content may be moved out of it; the texts of the head are valid during the call alone.
  std::function<void(Document&, const ListHead&)> document;
  std::function<void(int64_t bytes)> progress;  // bytes read of the file; may be empty
  // No text before this offset is needed any more; may be empty. Only the reader of JSON calls it.
  std::function<void(size_t offset)> consumed;
};

}  // namespace trellis
