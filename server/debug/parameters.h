// Decodes the query of a request, parameter by parameter. An error names the valid values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_message.h"

namespace trellis {

enum class AnswerForm : uint8_t { JsonText, Text, Columns };

class Parameters {
 public:
  explicit Parameters(const HttpRequest& request) : query_(request.query) {}

  // "" when the parameter is not given.
  std::string text(const std::string& name);
  // One of `words`, or "" when the parameter is not given.
  std::string word(const std::string& name, std::span<const std::string_view> words);
  int64_t count(const std::string& name, int64_t otherwise);
  std::vector<std::string> path(const std::string& name);  // of a domain: a/b/c
  std::vector<std::string> list(const std::string& name);  // with commas between
  bool given(const std::string& name);
  // The value of `format`, JsonText by default; one of `allowed`.
  AnswerForm form(std::span<const std::string_view> allowed);

  // The first error: a wrong value among the parameters taken so far, or an unknown parameter; "":
  // none.
  std::string error() const;

 private:
  void fail(const std::string& name, std::string_view expected);

  const std::map<std::string, std::string>& query_;
  std::set<std::string> known_;
  std::string error_;
};

inline constexpr std::string_view kJsonOrText[] = {"json", "text"};
inline constexpr std::string_view kJsonTextOrColumns[] = {"json", "text", "columns"};

// The parts of a/b/c; empty parts are dropped.
std::vector<std::string> split_path(std::string_view text);

}  // namespace trellis
