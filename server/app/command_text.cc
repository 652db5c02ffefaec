#include "server/app/command_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace trellis {
namespace {

constexpr std::string_view kFile = "FILE";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// Help breaks lines where it likes.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text{.value = option.get_type_name(),
                  .what = in_one_line(option.get_description()),
                  .is_word = option.get_positional(),
                  .repeats = option.get_expected_max() > 1};
  if (text.is_word) {
    text.names = {option.get_name(/*positional=*/true)};
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  return text;
}

// The options of a verb are shown with its command's, each name once.
void add_options(const CLI::App& verb, std::vector<OptionText>& options) {
  for (const CLI::Option* option : verb.get_options()) {
    OptionText text = text_of(*option);
    bool known = std::ranges::any_of(
        options, [&](const OptionText& one) { return one.names.front() == text.names.front(); });
    if (!known && !text.is_word) options.push_back(std::move(text));
  }
}

}  // namespace

std::vector<std::string> OptionText::choices() const {
  std::vector<std::string> words = {""};
  for (char c : value) {
    if (c != '|' && !is_lower(c)) return {};
    if (c == '|') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words.size() > 1 ? words : std::vector<std::string>();
}

std::vector<std::string> OptionText::prefixes() const {
  std::vector<std::string> found;
  const std::string text = value + " " + what;
  std::string word;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (is_lower(text[i])) {
      word += text[i];
      continue;
    }
    bool name_follows = text[i + 1] >= 'A' && text[i + 1] <= 'Z';
    if (text[i] == '/' && !word.empty() && name_follows) found.push_back(word + "/");
    word.clear();
  }
  return found;
}

bool OptionText::takes_file() const { return value.starts_with(kFile); }

CommandText text_of(const CLI::App& command) {
  CommandText text{.name = command.get_name(),
                   .summary = in_one_line(command.get_description()),
                   .details = command.get_footer()};
  for (const CLI::Option* option : command.get_options()) text.options.push_back(text_of(*option));
  for (const CLI::App* verb : command.get_subcommands({})) {
    text.verbs.push_back(verb->get_name());
    if (command.get_parent() != nullptr) add_options(*verb, text.options);
  }
  return text;
}

}  // namespace trellis
