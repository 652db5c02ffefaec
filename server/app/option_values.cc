#include "server/app/option_values.h"

#include <CLI/Error.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "framework/ascii.h"
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
      {"table", OutputFormat::Table}, {"json", OutputFormat::JsonText},
      {"yaml", OutputFormat::Yaml},   {"tree", OutputFormat::Tree},
      {"text", OutputFormat::Text},   {"wide", OutputFormat::Wide},
      {"name", OutputFormat::Name},   {"csv", OutputFormat::Csv}};
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

namespace {

int64_t read_count(const std::string& option, std::string_view what, int64_t least,
                   const std::string& text) {
  int64_t count = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count < least) {
    refuse(option + ": " + text + " is no number of " + std::string(what) + ": expected " +
           std::to_string(least) + " or more");
  }
  return count;
}

constexpr int64_t kMostNewNodes = 1'000'000;
constexpr int64_t kMostThreads = 64;

}  // namespace

int64_t read_cycles(const std::string& text) { return read_count("--cycles", "cycles", 1, text); }

int read_threads(const std::string& text) {
  int64_t count = read_count("--threads", "threads", 1, text);
  if (count > kMostThreads) refuse("--threads: expected at most 64 threads");
  return static_cast<int>(count);
}

int64_t read_moved_gpus(const std::string& text) {
  return read_count("--max-moved-gpus", "GPUs", 0, text);
}

int64_t read_limit(const std::string& text) { return read_count("--limit", "rows", 1, text); }

int64_t read_depth(const std::string& text) { return read_count("--depth", "levels", 0, text); }

int64_t read_node_count(const std::string& text) {
  int64_t count = read_count("--add-nodes", "nodes", 1, text);
  if (count > kMostNewNodes) refuse("--add-nodes: expected at most 1000000 nodes");
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

namespace {

struct TargetKind {
  std::string_view word;
  ExplainQuestion::Kind kind;
  bool owner = false;  // the question is about the gang that such an object makes
};

using Asked = ExplainQuestion::Kind;
constexpr std::array<TargetKind, 41> kTargetKinds = {{
    {"pod", Asked::Pod},
    {"gang", Asked::Gang},
    {"workload", Asked::Workload},
    {"node", Asked::Node},
    {"domain", Asked::Domain},
    {"queue", Asked::Queue},
    {"pods", Asked::Pod},
    {"po", Asked::Pod},
    {"podgroup", Asked::Gang},
    {"pg", Asked::Gang},
    {"wl", Asked::Workload},
    {"nodes", Asked::Node},
    {"no", Asked::Node},
    {"topology", Asked::Domain},
    {"clusterqueue", Asked::Queue},
    {"cq", Asked::Queue},
    {"job", Asked::Gang, true},
    {"cronjob", Asked::Gang, true},
    {"deployment", Asked::Gang, true},
    {"deploy", Asked::Gang, true},
    {"replicaset", Asked::Gang, true},
    {"rs", Asked::Gang, true},
    {"statefulset", Asked::Gang, true},
    {"sts", Asked::Gang, true},
    {"daemonset", Asked::Gang, true},
    {"ds", Asked::Gang, true},
    {"jobset", Asked::Gang, true},
    {"leaderworkerset", Asked::Gang, true},
    {"lws", Asked::Gang, true},
    {"pytorchjob", Asked::Gang, true},
    {"tfjob", Asked::Gang, true},
    {"xgboostjob", Asked::Gang, true},
    {"paddlejob", Asked::Gang, true},
    {"jaxjob", Asked::Gang, true},
    {"mpijob", Asked::Gang, true},
    {"trainjob", Asked::Gang, true},
    {"rayjob", Asked::Gang, true},
    {"raycluster", Asked::Gang, true},
    {"rayservice", Asked::Gang, true},
    {"notebook", Asked::Gang, true},
    {"replicationcontroller", Asked::Gang, true},
}};
constexpr size_t kNamedKinds = 6;  // the first ones, which messages list

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShortOwners = {
    {{"deploy", "deployment"},
     {"rs", "replicaset"},
     {"sts", "statefulset"},
     {"ds", "daemonset"},
     {"lws", "leaderworkerset"}}};

std::string long_owner(std::string_view word) {
  for (const auto& [brief, whole] : kShortOwners) {
    if (word == brief) return std::string(whole);
  }
  return std::string(word);
}

// A word that is near none of the kinds is answered with the first ones. Short forms are not
// proposed.
std::string unknown_kind(std::string_view word) {
  Words all;
  for (const TargetKind& kind : kTargetKinds) {
    if (kind.word.size() > 2) all.push_back(kind.word);
  }
  bool near = !nearest_word(word, all).empty();
  return unknown_word("kind", word, near ? all : Words(all.begin(), all.begin() + kNamedKinds));
}

}  // namespace

ExplainTarget read_target(const std::string& word) {
  const std::string expected =
      "explain takes pod/NAMESPACE/NAME, gang/NAMESPACE/NAME, workload/NAMESPACE/NAME, "
      "node/NAME, queue/NAME or domain/TOPOLOGY/PATH, not " +
      word;
  std::vector<std::string> parts = split(word, '/');
  const std::string kind_word = lower(parts.front());
  auto kind = std::ranges::find(kTargetKinds, kind_word, &TargetKind::word);
  if (kind == kTargetKinds.end()) {
    std::string message = unknown_kind(parts.front());
    bool near = message.ends_with('?');
    message += (near ? " " : "; ") + expected;
    if (near || parts.size() > 2 || has_empty(parts)) refuse(message);
    return {.question = {.name = word}, .kind_error = std::move(message)};
  }
  bool domain = kind->kind == Asked::Domain;
  bool namespaced =
      kind->kind == Asked::Pod || kind->kind == Asked::Gang || kind->kind == Asked::Workload;
  bool right = parts.size() >= 2 && (domain || parts.size() <= (namespaced ? 3U : 2U));
  if (!right || has_empty(parts)) refuse(expected);
  ExplainTarget target{.question = {.kind = kind->kind}};
  if (kind->owner) target.owner = long_owner(kind_word);
  ExplainQuestion& question = target.question;
  if (namespaced && parts.size() == 3) question.name_space = parts[1];
  question.name = namespaced ? parts.back() : parts[1];
  if (domain) question.path.assign(parts.begin() + 2, parts.end());
  return target;
}

std::string read_removed(const std::string& word) {
  std::vector<std::string> parts = split(word, '/');
  const std::string kind_word = lower(parts.front());
  auto kind = std::ranges::find(kTargetKinds, kind_word, &TargetKind::word);
  bool known =
      kind != kTargetKinds.end() && (kind->kind == Asked::Gang || kind->kind == Asked::Workload);
  if (!known || parts.size() < 2 || parts.size() > 3 || has_empty(parts)) {
    refuse(
        "--remove takes gang/NAMESPACE/NAME, workload/NAMESPACE/NAME or the owner of pods, such as "
        "job/NAMESPACE/NAME, not " +
        word);
  }
  std::string whole = kind->owner                     ? long_owner(kind_word)
                      : kind->kind == Asked::Workload ? "workload"
                                                      : "gang";
  return whole + word.substr(word.find('/'));
}

void check_place(const std::string& option, const std::string& word) {
  if (has_empty(split(word, '/'))) refuse(option + " takes NODE or TOPOLOGY/PATH, not " + word);
}

void check_more_nodes(const AddedNodes& more) {
  if (more.count == 0 && (!more.like.empty() || !more.domain.empty())) {
    refuse("--like and --in say more of --add-nodes: expected --add-nodes N");
  }
  if (more.count > 0 && more.like.empty()) refuse("--add-nodes needs --like NODE");
  if (!more.domain.empty() &&
      (more.domain.find('/') == std::string::npos || has_empty(split(more.domain, '/')))) {
    refuse("--in takes TOPOLOGY/PATH, not " + more.domain);
  }
}

}  // namespace trellis
