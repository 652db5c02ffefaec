// The members of one object of the configuration, taken one by one into places of their types.
//
// Each take looks for a key and remembers that it is known; what is missing leaves the place as it
// is, what is wrong makes a diagnostic with its line and does the same. The destructor reports the
// keys that nothing took, each with the nearest that something did.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

class ConfigFields {
 public:
  struct Report {
    std::string file;
    std::vector<Diagnostic> diagnostics;
  };

  // `report` must outlive this.
  ConfigFields(Value object, Report& report);
  ~ConfigFields();
  ConfigFields(const ConfigFields&) = delete;
  ConfigFields& operator=(const ConfigFields&) = delete;

  void take(std::string_view key, bool& place);
  void take(std::string_view key, int64_t& place, int64_t least);
  void take(std::string_view key, uint64_t& place);
  void take(std::string_view key, double& place);  // not negative
  void take(std::string_view key, std::string& place);
  void take(std::string_view key, std::vector<std::string>& place);
  void take(std::string_view key, std::map<std::string, bool>& place);
  enum class Sign : uint8_t { NotNegative, Positive, Any };
  void take_duration(std::string_view key, TimeUs& place, Sign sign);

  template <class Enum, size_t N>
  void take(std::string_view key, Enum& place,
            const std::pair<std::string_view, Enum> (&choices)[N]) {
    std::vector<std::string_view> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    size_t chosen = take_choice(key, words);
    if (chosen < N) place = choices[chosen].second;
  }

  // The member itself, for the caller to look into.
  Value take(std::string_view key);

  static void complain(Report& report, Value value, std::string expected, std::string nearest = "");
  // Of what is read and changes nothing.
  static void warn(Report& report, Value value, std::string found, std::string nearest = "");

 private:
  size_t take_choice(std::string_view key, std::span<const std::string_view> words);

  Value object_;
  Report& report_;
  std::vector<std::string_view> known_;
};

}  // namespace trellis
