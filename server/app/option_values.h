// The values of options, decoded from their text. A value that is wrong throws CLI::ParseError,
// whose what() is the message for the user.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/compare/planned_change.h"
#include "server/document/output_format.h"
#include "server/explain/explain_answer.h"
#include "server/http/listen_address.h"
#include "server/manifest/shard.h"

namespace trellis {

// Messages about unknown words of the command line, each with the nearest valid word.

// `unknown command "shedule": did you mean "schedule"?`, or the list of valid words.
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates);

[[noreturn]] void refuse(const std::string& message);

// `formats`: "table|json|yaml", those that the command knows.
OutputFormat read_output(const std::string& word, std::string_view formats);

// `a,b`; an empty text means none.
std::vector<std::string> read_actions(std::string_view text);

int64_t read_cycles(const std::string& text);
int read_threads(const std::string& text);
int64_t read_moved_gpus(const std::string& text);
int64_t read_node_count(const std::string& text);
int64_t read_limit(const std::string& text);
int64_t read_depth(const std::string& text);
TimeUs read_now(const std::string& text);
ListenAddress read_listen(const std::string& option, const std::string& text);
Shard read_shard(const std::string& text);

// pod/NAMESPACE/NAME, queue/NAME, domain/TOPOLOGY/PATH, ...; the namespace may be left out.
struct ExplainTarget {
  ExplainQuestion question;
  std::string owner;  // as in complete() (server/explain/named_question.h)
  // Not "": no kind was named, as in `train` or `research/train`; what is wrong if that is no name.
  std::string kind_error;
};
ExplainTarget read_target(const std::string& word);

// What `whatif` removes, as PlannedChange has it, from a word with any name of the kind:
// gang/NAMESPACE/NAME, workload/NAMESPACE/NAME or deploy/NAMESPACE/NAME.
std::string read_removed(const std::string& word);
// NODE or TOPOLOGY/PATH.
void check_place(const std::string& option, const std::string& word);
void check_more_nodes(const AddedNodes& more);

// `what`: the noun for the words, "level".
size_t read_choice(const std::string& option, std::string_view what, const std::string& word,
                   std::span<const std::string_view> words);

template <class Enum, size_t N>
Enum read_choice(const std::string& option, std::string_view what, const std::string& word,
                 const std::pair<std::string_view, Enum> (&choices)[N]) {
  std::vector<std::string_view> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  return choices[read_choice(option, what, word, words)].second;
}

}  // namespace trellis
