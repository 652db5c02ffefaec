// Semantic versions 2.0.0, compared by precedence.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::cel {

struct Semver {
  std::array<uint64_t, 3> numbers{};
  // Identifiers behind "-": "rc.1" has two.
  std::vector<std::string> prerelease;
  // Behind "+": it does not count in comparisons.
  std::string build;

  std::string text() const;
};

struct ParsedSemver {
  Semver version;
  // "": the text is a version.
  std::string error;
};

enum class SemverForm : uint8_t {
  Strict,
  // A leading "v" and leading zeros are dropped, and parts that are missing are 0.
  Normalized,
};

ParsedSemver parse_semver(std::string_view text, SemverForm form);
std::strong_ordering compare(const Semver& a, const Semver& b);

}  // namespace trellis::cel
