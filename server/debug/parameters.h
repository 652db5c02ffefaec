// The query of a request, taken parameter by parameter. What is not understood is said, with what
// would be.
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

enum class AnswerForm : uint8_t { Json, Text, Columns };

class Parameters {
 public:
  explicit Parameters(const HttpRequest& request) : query_(request.query) {}

  // "" when it is not given.
  std::string text(const std::string& name);
  // One of `words`, or "" when it is not given.
  std::string word(const std::string& name, std::span<const std::string_view> words);
  int64_t count(const std::string& name, int64_t otherwise);
  std::vector<std::string> path(const std::string& name);  // of a domain: a/b/c
  bool given(const std::string& name);
  // Json unless `format` says otherwise; Columns only where they are `allowed`.
  AnswerForm form(std::span<const std::string_view> allowed);

  // What was wrong with those that were taken, or a parameter that is not known; "": nothing.
  std::string error() const;

 private:
  void fail(const std::string& name, std::string_view expected);

  const std::map<std::string, std::string>& query_;
  std::set<std::string> known_;
  std::string error_;
};

inline constexpr std::string_view kJsonOrText[] = {"json", "text"};
inline constexpr std::string_view kJsonTextOrColumns[] = {"json", "text", "columns"};

// a/b/c, without its empty parts.
std::vector<std::string> split_path(std::string_view text);

}  // namespace trellis
