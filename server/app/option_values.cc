#include "server/app/option_values.h"

#include <CLI/Error.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "server/config/known_names.h"
#include "server/document/document.h"
#include "server/document/timestamp.h"
#include "server/text/nearest_word.h"

namespace trellis {

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates) {
  std::string text = "unknown " + std::string(what) + " " + trellis::in_quotes(word);
  if (std::string nearest = nearest_word(word, candidates); !nearest.empty()) {
    return text + ": did you mean " + trellis::in_quotes(nearest) + "?";
  }
  std::string_view separator = ": expected ";
  for (size_t i = 0; i < candidates.size(); ++i) {
    text.append(separator).append(candidates[i]);
    separator = i + 2 == candidates.size() ? " or " : ", ";
  }
  return text;
}

namespace {

using Words = std::vector<std::string_view>;

// At each `mark`; one part at the least.
std::vector<std::string> split(std::string_view word, char mark) {
  std::vector<std::string> parts;
  for (size_t at = word.find(mark); at != std::string_view::npos; at = word.find(mark)) {
    parts.emplace_back(word.substr(0, at));
    word.remove_prefix(at + 1);
  }
  parts.emplace_back(word);
  return parts;
}

bool has_empty(const std::vector<std::string>& parts) {
  return std::find(parts.begin(), parts.end(), "") != parts.end();
}

}  // namespace

void refuse(const std::string& message) { throw CLI::ValidationError(message); }

size_t read_choice(const std::string& option, std::string_view what, const std::string& word,
                   std::span<const std::string_view> words) {
  auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) refuse(option + unknown_word(what, word, words));
  return static_cast<size_t>(found - words.begin());
}

OutputFormat read_output(const std::string& word, std::string_view formats) {
  constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {
      {"table", OutputFormat::Table},
      {"json", OutputFormat::JsonText},
      {"yaml", OutputFormat::Yaml},
      {"tree", OutputFormat::Tree},
      {"text", OutputFormat::Text}};
  std::vector<std::string> allowed = split(formats, '|');
  Words words(allowed.begin(), allowed.end());
  read_choice("", "format", word, words);
  return read_choice("", "format", word, kFormats);
}

std::vector<std::string> read_actions(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  Words known = known_actions();
  for (std::string& name : split(text, ',')) {
    read_choice("--actions: ", "action", name, known);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      refuse("--actions: " + name + " stands there twice");
    }
    names.push_back(std::move(name));
  }
  return names;
}

int64_t read_cycles(const std::string& text) {
  int64_t count = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count < 1) {
    refuse("--cycles: " + text + " is no number of cycles: expected 1 or more");
  }
  return count;
}

int64_t read_moved_gpus(const std::string& text) {
  int64_t count = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count < 0) {
    refuse("--max-moved-gpus: " + text + " is no number of GPUs: expected 0 or more");
  }
  return count;
}

TimeUs read_now(const std::string& text) {
  std::optional<TimeUs> now = parse_timestamp(text);
  if (!now) refuse("--now: " + text + " is no time such as 2026-01-01T12:00:00Z");
  return *now;
}

ListenAddress read_listen(const std::string& option, const std::string& text) {
  auto address = parse_listen(text);
  if (!address) refuse(option + ": " + address.error().message);
  return *address;
}

Shard read_shard(const std::string& text) {
  Result<Shard> shard = parse_shard(text);
  if (!shard) refuse("--node-pool-label: " + shard.error().message);
  return *shard;
}

ExplainQuestion read_target(const std::string& word) {
  using Asked = ExplainQuestion::Kind;
  constexpr std::array<std::string_view, 6> kinds = {"pod",  "gang",   "workload",
                                                     "node", "domain", "queue"};
  const std::string expected =
      "explain takes pod/NAMESPACE/NAME, gang/NAMESPACE/NAME, workload/NAMESPACE/NAME, "
      "node/NAME, queue/NAME or domain/TOPOLOGY/PATH, not " +
      word;
  std::vector<std::string> parts = split(word, '/');
  auto kind = std::find(kinds.begin(), kinds.end(), parts.front());
  if (kind == kinds.end()) {
    std::string message = unknown_word("kind", parts.front(), kinds);
    refuse(message + (message.ends_with('?') ? " " : "; ") + expected);
  }
  ExplainQuestion question;
  question.kind = static_cast<Asked>(kind - kinds.begin());
  bool domain = question.kind == Asked::Domain;
  bool namespaced = question.kind == Asked::Pod || question.kind == Asked::Gang ||
                    question.kind == Asked::Workload;
  bool right = domain ? parts.size() >= 2 : parts.size() == (namespaced ? 3U : 2U);
  if (namespaced && !has_empty(parts) && parts.size() == 2) {
    refuse(expected + ": did you mean " + std::string(*kind) + "/default/" + parts[1] + "?");
  }
  if (!right || has_empty(parts)) refuse(expected);
  if (namespaced) question.name_space = parts[1];
  question.name = namespaced ? parts[2] : parts[1];
  if (domain) question.path.assign(parts.begin() + 2, parts.end());
  return question;
}

void check_removed(const std::string& word) {
  std::vector<std::string> parts = split(word, '/');
  bool known = parts.front() == "gang" || parts.front() == "workload";
  if (parts.size() == 3 && known && !has_empty(parts)) return;
  refuse("--remove takes gang/NAMESPACE/NAME or workload/NAMESPACE/NAME, not " + word);
}

void check_cordon(const std::string& word) {
  if (has_empty(split(word, '/'))) refuse("--cordon takes NODE or TOPOLOGY/PATH, not " + word);
}

}  // namespace trellis
