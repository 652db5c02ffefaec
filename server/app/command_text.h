// The texts of a command and of its options, taken from the command line's own table: the manual
// pages and the completions of shells are generated from them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace trellis {

// An option, or a word that a command takes.
struct OptionText {
  std::vector<std::string> names;  // "-o", "--output"; of a word its name alone, "TARGET"
  std::string value;               // "FILE", "table|json|yaml"; empty: it takes none
  std::string what;                // in one line
  bool is_word = false;
  bool repeats = false;

  // The words that `value` has to be one of; empty: any text.
  std::vector<std::string> choices() const;
  // What such a word may begin with: "pod/" of "pod/NAMESPACE/NAME".
  std::vector<std::string> prefixes() const;
  bool takes_file() const;
};

struct CommandText {
  std::string name;     // "schedule"; of the program "trellis"
  std::string summary;  // in one line
  std::string details;  // lines; examples follow a line "Examples:"
  std::vector<OptionText> options;
  std::vector<std::string> verbs;  // "print" of "config"; of the program its commands
};

CommandText text_of(const CLI::App& command);

}  // namespace trellis
