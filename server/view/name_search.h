// Finds the object that a name on the command line stands for.
//
// A name is complete (`default/train`), or a part that only one object has: the last part after a
// slash (`train`), else the beginning, else whole words inside it (`b` of `default/job-b-5f660`),
// else the end, of the whole name or of its last part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct FoundName {
  std::string name;   // complete
  std::string error;  // empty: found
};

// `kind` is for the message: `several gangs match tr: default/train, default/trial`, or that of
// no_such().
FoundName find_name(std::string_view kind, std::string_view word,
                    const std::vector<std::string>& names);

// `the input holds no pod default/trian-0: did you mean default/train-0?`
std::string no_such(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& names);

}  // namespace trellis
