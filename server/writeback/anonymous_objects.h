// Saved objects without the names of their cluster, for dumps that leave the house.
//
// Every name, label and other word is replaced by another one: the same word by the same, different
// words by different ones, in the same order, so that decisions about the result are the decisions
// about the original under other names. Kept are what Kubernetes and its schedulers define (kinds,
// states, keys of labels in their domains, names of resources), numbers, amounts and times.
// Annotations of other domains, and messages, are left out. A Cycle is kept.
#pragma once

#include <string>

namespace trellis {

// `lines`: JSON objects, one a line, as save_objects() writes them. Cost: O(bytes · log(words)).
std::string anonymous_lines(const std::string& lines);

}  // namespace trellis
