// A finding about the input, with its location: one record each, one line when printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class Severity : uint8_t { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;      // as it was named; "-" for standard input; empty: the input as a whole
  int64_t document = 0;  // from 1, within the file; 0: the file as a whole
  int64_t line = 0;      // from 1; 0: not known
  std::string path;      // JSON path from the document's root, "$.spec.levels[0].nodeLabel"; or ""
  std::string found;     // a phrase: `"rak"`, `nothing`, `a number`
  std::string expected;  // a phrase; empty: `found` is enough
  std::string nearest;   // the valid word that was probably meant; empty: none is near
  bool operator==(const Diagnostic&) const = default;
};

std::string_view to_string(Severity severity);

// FILE:LINE: doc N: $.path: found F, expected E; did you mean "W"?
// Unknown parts are left out. A warning or a note is marked as such after the location.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace trellis
