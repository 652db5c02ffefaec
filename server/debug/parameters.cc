#include "server/debug/parameters.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "server/text/nearest_word.h"

namespace trellis {
namespace {

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += word == words.back() ? " or " : ", ";
    text += word;
  }
  return text;
}

}  // namespace

std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find('/'), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void Parameters::fail(const std::string& name, std::string_view expected) {
  if (!error_.empty()) return;
  error_ = "parameter " + name + "=" + query_.at(name) + ": expected " + std::string(expected);
}

bool Parameters::given(const std::string& name) {
  known_.insert(name);
  return query_.contains(name);
}

std::string Parameters::text(const std::string& name) {
  return given(name) ? query_.at(name) : std::string();
}

std::vector<std::string> Parameters::list(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream words(text(name));
  for (std::string word; std::getline(words, word, ',');) {
    if (!word.empty()) parts.push_back(word);
  }
  return parts;
}

std::string Parameters::word(const std::string& name, std::span<const std::string_view> words) {
  std::string value = text(name);
  if (!given(name) || std::find(words.begin(), words.end(), value) != words.end()) return value;
  fail(name, listed(words));
  return "";
}

int64_t Parameters::count(const std::string& name, int64_t otherwise) {
  if (!given(name)) return otherwise;
  const std::string& value = query_.at(name);
  int64_t number = 0;
  auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure == std::errc() && end == value.data() + value.size() && number >= 0) return number;
  fail(name, "a whole number from 0");
  return otherwise;
}

std::vector<std::string> Parameters::path(const std::string& name) {
  return split_path(text(name));
}

AnswerForm Parameters::form(std::span<const std::string_view> allowed) {
  std::string name = word("format", allowed);
  if (name == "text") return AnswerForm::Text;
  return name == "columns" ? AnswerForm::Columns : AnswerForm::JsonText;
}

std::string Parameters::error() const {
  if (!error_.empty()) return error_;
  std::vector<std::string_view> words(known_.begin(), known_.end());
  for (const auto& [name, value] : query_) {
    if (known_.contains(name)) continue;
    std::string nearest = nearest_word(name, words);
    return "unknown parameter " + name +
           (nearest.empty() ? "; there are " + listed(words) : ": did you mean " + nearest + "?");
  }
  return "";
}

}  // namespace trellis
