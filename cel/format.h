// "%s has %d".format([name, count])
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace trellis::cel {

struct FormatArgument {
  bool is_known = false;
  Kind kind = Kind::Null;
};

// Why arguments of these types cannot be printed so; "": they can, as far as types are known.
std::string check_format_text(std::string_view text, const std::vector<FormatArgument>& arguments);

// A text, or an error.
Value format(std::string_view text, const List& arguments);

// A value as `%s` prints it; an error where there is no such form.
Value printed(const Value& value);

}  // namespace trellis::cel
