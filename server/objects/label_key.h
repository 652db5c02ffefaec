// The syntax of label keys, as Kubernetes has it.
#pragma once

#include <string_view>

namespace trellis {

// A name of at most 63 letters, digits, '-', '_' and '.' that begins and ends with a letter or
// digit, perhaps behind a domain name in lower case and a slash.
bool is_label_key(std::string_view text);

// Lower case letters, digits and '-', as DNS has them: a name alone, or several with '.' between.
bool is_dns_label(std::string_view text);
bool is_dns_name(std::string_view text);

inline constexpr std::string_view kLabelKeyWanted =
    "the key of a label, such as \"example.com/rack\"";

}  // namespace trellis
