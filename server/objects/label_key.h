// The syntax of label keys in Kubernetes.
#pragma once

#include <string_view>

namespace trellis {

// A name of at most 63 letters, digits, '-', '_' and '.' that begins and ends with a letter or
// digit, perhaps behind a domain name in lower case and a slash.
bool is_label_key(std::string_view text);

// A DNS label has lower case letters, digits and '-'; a DNS name is one label or several, with '.'
// between them.
bool is_dns_label(std::string_view text);
bool is_dns_name(std::string_view text);

inline constexpr std::string_view kLabelKeyWanted =
    "the key of a label, such as \"example.com/rack\"";

}  // namespace trellis
