#include "cel/semver.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace trellis::cel {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::vector<std::string_view> parts_of(std::string_view text, size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    size_t dot = text.find('.');
    if (dot == std::string_view::npos) break;
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

struct Normalized {
  std::string text;
  std::string error;
};

// As Kubernetes does it: leading zeros of each part go, and what is missing is 0.
Normalized normalized(std::string_view text) {
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  std::vector<std::string_view> parts = parts_of(text, 3);
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string_view::npos) {
    return {"", "short version cannot contain PreRelease/Build meta data"};
  }
  parts.resize(3, "0");
  std::string made;
  for (size_t i = 0; i < 3; ++i) {
    std::string_view part = parts[i];
    while (part.size() > 1 && part.front() == '0' && part[1] >= '0' && part[1] <= '9') {
      part.remove_prefix(1);
    }
    made.append(i == 0 ? "" : ".").append(part);
  }
  return {std::move(made), ""};
}

std::string read_number(std::string_view text, std::string_view which, uint64_t& number) {
  if (!is_number(text)) {
    return "Invalid character(s) found in " + std::string(which) + " number \"" +
           std::string(text) + "\"";
  }
  if (text.size() > 1 && text.front() == '0') {
    return std::string(which) + " number must not contain leading zeroes \"" + std::string(text) +
           "\"";
  }
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? "" : "\"" + std::string(text) + "\": value out of range";
}

std::string read_prerelease(std::string_view text, Semver& version) {
  for (std::string_view part : parts_of(text, SIZE_MAX)) {
    if (part.empty()) return "Prerelease is empty";
    if (!is_identifier(part)) return "Invalid character(s) found in prerelease";
    if (is_number(part) && part.size() > 1 && part.front() == '0') {
      return "Numeric PreRelease version must not contain leading zeroes \"" + std::string(part) +
             "\"";
    }
    version.prerelease.emplace_back(part);
  }
  return "";
}

std::string read(std::string_view text, Semver& version) {
  if (text.empty()) return "Version string empty";
  size_t plus = text.find('+');
  size_t dash = text.substr(0, plus).find('-');
  std::vector<std::string_view> parts = parts_of(text.substr(0, std::min(plus, dash)), 3);
  if (parts.size() != 3) return "No Major.Minor.Patch elements found";
  static constexpr std::string_view kNames[] = {"Major", "Minor", "Patch"};
  for (size_t i = 0; i < 3; ++i) {
    std::string error = read_number(parts[i], kNames[i], version.numbers[i]);
    if (!error.empty()) return error;
  }
  if (dash != std::string_view::npos) {
    size_t end = plus == std::string_view::npos ? text.size() : plus;
    std::string error = read_prerelease(text.substr(dash + 1, end - dash - 1), version);
    if (!error.empty()) return error;
  }
  if (plus != std::string_view::npos) {
    for (std::string_view part : parts_of(text.substr(plus + 1), SIZE_MAX)) {
      if (!is_identifier(part)) return "Build meta data is empty or has invalid characters";
    }
    version.build = text.substr(plus + 1);
  }
  return "";
}

std::strong_ordering compare_identifiers(const std::string& a, const std::string& b) {
  bool numeric = is_number(a);
  if (numeric != is_number(b)) {
    return numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

std::string Semver::text() const {
  std::string made;
  for (size_t i = 0; i < numbers.size(); ++i) {
    made.append(i == 0 ? "" : ".").append(std::to_string(numbers[i]));
  }
  for (size_t i = 0; i < prerelease.size(); ++i) {
    made.append(i == 0 ? "-" : ".").append(prerelease[i]);
  }
  if (!build.empty()) made.append("+").append(build);
  return made;
}

ParsedSemver parse_semver(std::string_view text, SemverForm form) {
  ParsedSemver parsed;
  if (form == SemverForm::Strict) {
    parsed.error = read(text, parsed.version);
    return parsed;
  }
  Normalized changed = normalized(text);
  parsed.error = changed.error.empty() ? read(changed.text, parsed.version) : changed.error;
  return parsed;
}

std::strong_ordering compare(const Semver& a, const Semver& b) {
  if (auto order = a.numbers <=> b.numbers; std::is_neq(order)) return order;
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return b.prerelease.size() == a.prerelease.size()
               ? std::strong_ordering::equal
               : (a.prerelease.empty() ? std::strong_ordering::greater
                                       : std::strong_ordering::less);
  }
  for (size_t i = 0; i < std::min(a.prerelease.size(), b.prerelease.size()); ++i) {
    auto order = compare_identifiers(a.prerelease[i], b.prerelease[i]);
    if (std::is_neq(order)) return order;
  }
  return a.prerelease.size() <=> b.prerelease.size();
}

}  // namespace trellis::cel
