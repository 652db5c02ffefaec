#include "cel/device.h"

namespace trellis::cel {

void DomainMap::add(std::string_view name, Value value) {
  size_t slash = name.find('/');
  bool bare = slash == std::string_view::npos;
  std::string_view domain = bare ? std::string_view(driver_) : name.substr(0, slash);
  std::string_view identifier = bare ? name : name.substr(slash + 1);
  auto at = domains_.begin();
  while (at != domains_.end() && at->first != domain) ++at;
  if (at == domains_.end()) at = domains_.emplace(at, std::string(domain), Map{});
  Value key = Value::string(std::string(identifier));
  // A name that is written with its domain and without it: the first counts.
  if (find(at->second, key) != nullptr) return;
  at->second.entries.emplace_back(std::move(key), std::move(value));
}

Value DomainMap::finish() {
  Map map{.entries = {}, .has_all_keys = true};
  for (auto& [domain, names] : domains_) {
    map.entries.emplace_back(Value::string(domain), Value::map(std::move(names)));
  }
  return Value::map(std::move(map));
}

}  // namespace trellis::cel
