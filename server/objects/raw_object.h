// An object's text, kept beside its record.
#pragma once

#include <string>

namespace trellis {

// An object as it was read, or a pod that a Job was expanded to.
struct RawObject {
  std::string kind;
  std::string name_space;  // empty for a kind without namespaces
  std::string name;        // generated where the object has only a generateName
  std::string json;        // one line, without managedFields
};

}  // namespace trellis
