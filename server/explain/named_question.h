// Completes the names of a question that a person wrote: `gang/train` is about the one gang of that
// name, `job/train` about the gang of that Job.
//
// REQUIRES: `engine` has run a cycle. Cost: O(objects of the kind).
#pragma once

#include <string>

#include "server/explain/explain_answer.h"

namespace trellis {

struct CompletedQuestion {
  ExplainQuestion question;
  std::string note;   // for the user; "" where there is nothing to say
  std::string error;  // "": the object was found
};

// `owner`: the kind of the object that made the gang, in lower case ("deployment"), where the
// question is about that object; else "".
CompletedQuestion complete(const ExplainQuestion& question, const std::string& owner,
                           Engine& engine, const CycleRecord& record);

// About the gang, else the workload, the pod or the node that has this name, or alone has it after
// its namespace. The question has no name: no object has.
CompletedQuestion complete_any(const std::string& name, Engine& engine);

}  // namespace trellis
