// Addresses, networks, URLs, and named formats.
#include <arpa/inet.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cel/functions.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr size_t kShort = 4;
constexpr size_t kLong = 16;

// As Kubernetes reads addresses: no leading zeros, no zone, no IPv4 inside IPv6.
std::optional<std::string> read_address(const std::string& text) {
  std::array<char, kLong> bytes{};
  if (text.find(':') == std::string::npos) {
    if (inet_pton(AF_INET, text.c_str(), bytes.data()) != 1) return std::nullopt;
    return std::string(bytes.data(), kShort);
  }
  bool mixed = text.find('.') != std::string::npos;
  if (mixed || inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  return std::string(bytes.data(), kLong);
}

std::string address_text(const std::string& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(bytes.size() == kShort ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<Address> read_network(const std::string& text) {
  size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  std::optional<std::string> bytes = read_address(text.substr(0, slash));
  std::string length = text.substr(slash + 1);
  bool number =
      !length.empty() && length.size() <= 3 &&
      std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!bytes || !number || (length.size() > 1 && length[0] == '0')) return std::nullopt;
  int prefix = std::stoi(length);
  if (prefix > static_cast<int>(bytes->size()) * 8) return std::nullopt;
  return Address{std::move(*bytes), prefix};
}

std::string masked(const std::string& bytes, int prefix) {
  std::string result = bytes;
  for (size_t i = 0; i < result.size(); ++i) {
    int kept = std::clamp(prefix - static_cast<int>(i) * 8, 0, 8);
    result[i] = static_cast<char>(static_cast<unsigned char>(result[i]) & (0xFF00U >> kept));
  }
  return result;
}

Value ip(Arguments a) {
  if (a[0].is(Kind::Cidr)) return Value::address(Kind::Ip, {a[0].address().bytes, 0});
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  std::optional<std::string> bytes = read_address(a[0].text());
  if (!bytes) return Value::error("IP Address " + a[0].text() + " parse error");
  return Value::address(Kind::Ip, {std::move(*bytes), 0});
}

Value is_ip(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  return Value::boolean(read_address(a[0].text()).has_value());
}

Value is_canonical(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  std::optional<std::string> bytes = read_address(a[0].text());
  if (!bytes) return Value::error("IP Address " + a[0].text() + " parse error");
  return Value::boolean(address_text(*bytes) == a[0].text());
}

Value family(Arguments a) {
  if (!a[0].is(Kind::Ip)) return Value::no_such_overload();
  return Value::integer(a[0].address().bytes.size() == kShort ? 4 : 6);
}

enum class Range : uint8_t { Unspecified, Loopback, LinkLocalMulticast, LinkLocalUnicast };

bool is_in(const std::string& bytes, Range range) {
  bool is_short = bytes.size() == kShort;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  switch (range) {
    case Range::Unspecified:
      return bytes.find_first_not_of('\0') == std::string::npos;
    case Range::Loopback:
      return is_short ? byte(0) == 127
                      : bytes.find_first_not_of('\0') == kLong - 1 && byte(kLong - 1) == 1;
    case Range::LinkLocalMulticast:
      return is_short ? byte(0) == 224 && byte(1) == 0 && byte(2) == 0
                      : byte(0) == 0xFF && (byte(1) & 0x0FU) == 2;
    case Range::LinkLocalUnicast:
      return is_short ? byte(0) == 169 && byte(1) == 254
                      : byte(0) == 0xFE && (byte(1) & 0xC0U) == 0x80;
  }
  return false;
}

template <Range kRange>
Value is_of_range(Arguments a) {
  if (!a[0].is(Kind::Ip)) return Value::no_such_overload();
  return Value::boolean(is_in(a[0].address().bytes, kRange));
}

Value is_global(Arguments a) {
  if (!a[0].is(Kind::Ip)) return Value::no_such_overload();
  const std::string& bytes = a[0].address().bytes;
  auto first = static_cast<unsigned char>(bytes[0]);
  bool multicast = bytes.size() == kShort ? (first & 0xF0U) == 0xE0 : first == 0xFF;
  bool broadcast = bytes == std::string(kShort, '\xFF');
  return Value::boolean(!broadcast && !multicast && !is_in(bytes, Range::Unspecified) &&
                        !is_in(bytes, Range::Loopback) && !is_in(bytes, Range::LinkLocalUnicast));
}

Value cidr(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  std::optional<Address> network = read_network(a[0].text());
  if (!network) return Value::error("network address parse error during conversion from string");
  return Value::address(Kind::Cidr, std::move(*network));
}

Value is_cidr(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  return Value::boolean(read_network(a[0].text()).has_value());
}

bool holds(const Address& network, const std::string& bytes) {
  return network.bytes.size() == bytes.size() &&
         masked(network.bytes, network.prefix_length) == masked(bytes, network.prefix_length);
}

Value contains_ip(Arguments a) {
  if (!a[0].is(Kind::Cidr)) return Value::no_such_overload();
  Value address = a[1].is(Kind::Ip) ? a[1] : ip(a.subspan(1));
  if (address.failed()) return address;
  return Value::boolean(holds(a[0].address(), address.address().bytes));
}

Value contains_cidr(Arguments a) {
  if (!a[0].is(Kind::Cidr)) return Value::no_such_overload();
  Value other = a[1].is(Kind::Cidr) ? a[1] : cidr(a.subspan(1));
  if (other.failed()) return other;
  return Value::boolean(other.address().prefix_length >= a[0].address().prefix_length &&
                        holds(a[0].address(), other.address().bytes));
}

Value masked_network(Arguments a) {
  if (!a[0].is(Kind::Cidr)) return Value::no_such_overload();
  const Address& network = a[0].address();
  return Value::address(Kind::Cidr,
                        {masked(network.bytes, network.prefix_length), network.prefix_length});
}

Value prefix_length(Arguments a) {
  if (!a[0].is(Kind::Cidr)) return Value::no_such_overload();
  return Value::integer(a[0].address().prefix_length);
}

Value address_string(Arguments a) {
  if (!a[0].is(Kind::Ip) && !a[0].is(Kind::Cidr)) return Value::no_such_overload();
  std::string text = address_text(a[0].address().bytes);
  if (a[0].is(Kind::Cidr)) text += "/" + std::to_string(a[0].address().prefix_length);
  return Value::string(std::move(text));
}

// Absolute URLs and absolute paths.
std::optional<Url> read_url(std::string_view text) {
  Url url;
  bool clean = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
  });
  if (text.empty() || !clean) return std::nullopt;
  size_t colon = text.find(':');
  if (text.front() != '/') {
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    for (char c : text.substr(0, colon)) {
      bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
      if (!letter && (!other || url.scheme.empty())) return std::nullopt;
      url.scheme.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    }
    text.remove_prefix(colon + 1);
  }
  size_t query = text.find('?');
  if (query != std::string_view::npos) {
    url.query = text.substr(query + 1);
    text = text.substr(0, query);
  }
  if (!url.scheme.empty() && text.starts_with("//")) {
    size_t path = text.find('/', 2);
    url.host = text.substr(2, path == std::string_view::npos ? path : path - 2);
    url.host.erase(0, url.host.find('@') == std::string::npos ? 0 : url.host.find('@') + 1);
    text = path == std::string_view::npos ? std::string_view() : text.substr(path);
  }
  url.path = text;
  return url;
}

// A port behind the host, or all of the host.
size_t port_of(const std::string& host) {
  size_t colon = host.rfind(':');
  size_t bracket = host.rfind(']');
  bool behind = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  return behind ? colon : host.size();
}

Value url(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  std::optional<Url> url = read_url(a[0].text());
  if (!url) return Value::error("URL parse error during conversion from string");
  return Value::url(std::move(*url));
}

Value is_url(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  return Value::boolean(read_url(a[0].text()).has_value());
}

enum class UrlPart : uint8_t { Scheme, Host, Hostname, Port, Path };

template <UrlPart kPart>
Value url_part(Arguments a) {
  if (!a[0].is(Kind::Url)) return Value::no_such_overload();
  const Url& url = a[0].url();
  size_t port = port_of(url.host);
  switch (kPart) {
    case UrlPart::Scheme:
      return Value::string(url.scheme);
    case UrlPart::Host:
      return Value::string(url.host);
    case UrlPart::Hostname: {
      std::string name = url.host.substr(0, port);
      bool bracketed = name.size() > 2 && name.front() == '[';
      return Value::string(bracketed ? name.substr(1, name.size() - 2) : name);
    }
    case UrlPart::Port:
      return Value::string(port < url.host.size() ? url.host.substr(port + 1) : "");
    case UrlPart::Path:
      return Value::string(url.path);
  }
  return Value::no_such_overload();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string unescaped(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                  hex_digit(text[i + 2]) >= 0;
    if (escape) {
      made.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      made.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return made;
}

Value url_query(Arguments a) {
  if (!a[0].is(Kind::Url)) return Value::no_such_overload();
  std::vector<std::pair<std::string, List>> names;
  std::string_view left = a[0].url().query;
  while (!left.empty()) {
    std::string_view part = left.substr(0, left.find('&'));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    if (part.empty()) continue;
    size_t sign = part.find('=');
    std::string name = unescaped(part.substr(0, sign));
    std::string value = sign == std::string_view::npos ? "" : unescaped(part.substr(sign + 1));
    auto at =
        std::find_if(names.begin(), names.end(), [&](auto& known) { return known.first == name; });
    if (at == names.end()) at = names.emplace(at, name, List{});
    at->second.push_back(Value::string(std::move(value)));
  }
  Map map;
  for (auto& [name, values] : names) {
    map.entries.emplace_back(Value::string(name), Value::list(std::move(values)));
  }
  return Value::map(std::move(map));
}

struct NamedFormat {
  std::string_view name;
  std::string_view pattern;
  size_t most;
};

constexpr NamedFormat kNamed[] = {
    {"dns1123Label", "[a-z0-9]([-a-z0-9]*[a-z0-9])?", 63},
    {"dns1123Subdomain", R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)", 253},
    {"dns1035Label", "[a-z]([-a-z0-9]*[a-z0-9])?", 63},
    {"dns1123LabelPrefix", "[a-z0-9]([-a-z0-9]*[a-z0-9])?-?", 63},
    {"dns1123SubdomainPrefix",
     R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*-?)", 253},
    {"dns1035LabelPrefix", "[a-z]([-a-z0-9]*[a-z0-9])?-?", 63},
    {"qualifiedName",
     R"(([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])",
     317},
    {"labelValue", "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", 63},
    {"uri", "[a-zA-Z][-+.a-zA-Z0-9]*:[^ ]*|/[^ ]*", SIZE_MAX},
    {"uuid", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
     SIZE_MAX},
    {"byte", "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", SIZE_MAX},
    {"date", "[0-9]{4}-[0-9]{2}-[0-9]{2}", SIZE_MAX},
    {"datetime", "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}.*", SIZE_MAX},
};

template <size_t kWhich>
Value format_of(Arguments) {
  return Value::with_text(Kind::Format, std::string(kNamed[kWhich].name));
}

Value named_format(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  for (const NamedFormat& format : kNamed) {
    if (format.name == a[0].text()) {
      return Value::some(Value::with_text(Kind::Format, a[0].text()));
    }
  }
  return Value::none();
}

// What is wrong with the text; none: nothing.
Value validate(Arguments a) {
  if (!a[0].is(Kind::Format) || !a[1].is(Kind::String)) return Value::no_such_overload();
  for (const NamedFormat& format : kNamed) {
    if (format.name != a[0].text()) continue;
    bool fits = a[1].text().size() <= format.most &&
                RE2::FullMatch(a[1].text(), std::string(format.pattern));
    if (fits) return Value::none();
    return Value::some(Value::list({Value::string("is not of the format " + a[0].text())}));
  }
  return Value::none();
}

constexpr std::string_view kAddress = "string: ip";

constexpr Function kNetwork[] = {
    {"ip", false, kAddress, ip},
    {"isIP", false, "string: bool", is_ip},
    {"ip.isCanonical", false, "string: bool", is_canonical},
    {"family", true, "ip: int", family},
    {"isUnspecified", true, "ip: bool", is_of_range<Range::Unspecified>},
    {"isLoopback", true, "ip: bool", is_of_range<Range::Loopback>},
    {"isLinkLocalMulticast", true, "ip: bool", is_of_range<Range::LinkLocalMulticast>},
    {"isLinkLocalUnicast", true, "ip: bool", is_of_range<Range::LinkLocalUnicast>},
    {"isGlobalUnicast", true, "ip: bool", is_global},
    {"cidr", false, "string: cidr", cidr},
    {"isCIDR", false, "string: bool", is_cidr},
    {"containsIP", true, "cidr, ip: bool; cidr, string: bool", contains_ip},
    {"containsCIDR", true, "cidr, cidr: bool; cidr, string: bool", contains_cidr},
    {"ip", true, "cidr: ip", ip},
    {"masked", true, "cidr: cidr", masked_network},
    {"prefixLength", true, "cidr: int", prefix_length},
    {"string", true, "ip: string; cidr: string", address_string},
    {"url", false, "string: url", url},
    {"isURL", false, "string: bool", is_url},
    {"getScheme", true, "url: string", url_part<UrlPart::Scheme>},
    {"getHost", true, "url: string", url_part<UrlPart::Host>},
    {"getHostname", true, "url: string", url_part<UrlPart::Hostname>},
    {"getPort", true, "url: string", url_part<UrlPart::Port>},
    {"getEscapedPath", true, "url: string", url_part<UrlPart::Path>},
    {"getQuery", true, "url: map<string, list<string>>", url_query},
    {"format.named", false, "string: optional<format>", named_format},
    {"format.dns1123Label", false, ": format", format_of<0>},
    {"format.dns1123Subdomain", false, ": format", format_of<1>},
    {"format.dns1035Label", false, ": format", format_of<2>},
    {"format.dns1123LabelPrefix", false, ": format", format_of<3>},
    {"format.dns1123SubdomainPrefix", false, ": format", format_of<4>},
    {"format.dns1035LabelPrefix", false, ": format", format_of<5>},
    {"format.qualifiedName", false, ": format", format_of<6>},
    {"format.labelValue", false, ": format", format_of<7>},
    {"format.uri", false, ": format", format_of<8>},
    {"format.uuid", false, ": format", format_of<9>},
    {"format.byte", false, ": format", format_of<10>},
    {"format.date", false, ": format", format_of<11>},
    {"format.datetime", false, ": format", format_of<12>},
    {"validate", true, "format, string: optional<list<string>>", validate},
};

}  // namespace

std::span<const Function> network_functions() { return kNetwork; }

}  // namespace trellis::cel
