// Reads the members of one object of the configuration, one by one, into typed variables.
//
// Each take() looks up a key and records it as known. A missing value leaves the variable
// unchanged; so does a wrong value, which also makes a diagnostic with its line. The destructor
// reports the unknown keys, each with the nearest known key.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/time.h"
#include "server/config/config_description.h"
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

  void take(std::string_view key, bool& place, form::Plain form);
  void take(std::string_view key, double& place, form::Plain form);  // not negative
  void take(std::string_view key, std::string& place, form::Plain form);
  void take(std::string_view key, std::vector<std::string>& place, form::Plain form);
  void take(std::string_view key, std::map<std::string, bool>& place, form::Plain form);
  void take(std::string_view key, int64_t& place, form::AtLeast form);
  void take(std::string_view key, int64_t& place, form::Counted form);
  void take(std::string_view key, int64_t& place, form::Limit form);
  void take(std::string_view key, TimeUs& place, form::Duration form);
  void take(std::string_view key, DailyWindow& place, form::Daily form);
  template <class Enum, size_t N>
  void take(std::string_view key, Enum& place, std::span<const form::Choice<Enum>, N> choices) {
    std::vector<std::string_view> words;
    for (const form::Choice<Enum>& choice : choices) words.push_back(choice.word);
    size_t chosen = take_choice(key, words);
    if (chosen < N) place = choices[chosen].value;
  }

  // The member itself, for the caller to read.
  Value take(std::string_view key);

  static void complain(Report& report, Value value, std::string expected, std::string nearest = "");
  // Warns of a value that is read and has no effect.
  static void warn(Report& report, Value value, std::string found, std::string nearest = "");

 private:
  size_t take_choice(std::string_view key, std::span<const std::string_view> words);

  Value object_;
  Report& report_;
  std::vector<std::string_view> known_;
};

}  // namespace trellis
