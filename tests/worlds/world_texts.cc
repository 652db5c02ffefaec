#include "tests/worlds/world_texts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tests/worlds/world_mutator.h"

namespace trellis::worlds {
namespace {

using nlohmann::json;

constexpr size_t kMostInWorld = 120;

std::string member(const json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "pods/default/p", "workloads.kueue.x-k8s.io/default/w"; "" for what no API server holds.
std::string text_name(const json& object) {
  if (!object.is_object() || !object.contains("metadata")) return {};
  const json& meta = object["metadata"];
  std::string kind = member(object, "kind");
  std::string version = member(object, "apiVersion");
  std::string name = meta.is_object() ? member(meta, "name") : std::string();
  if (kind.empty() || version.empty() || name.empty()) return {};
  // An empty one would read as the default one, and could name an object twice.
  if (meta.contains("namespace") && member(meta, "namespace").empty()) return {};
  std::ranges::transform(kind, kind.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  size_t slash = version.find('/');
  std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
  std::string name_space = meta.contains("namespace") ? member(meta, "namespace") : "default";
  return kind + "s" + group + "/" + name_space + "/" + name;
}

}  // namespace

WorldTexts::WorldTexts(std::span<const World> shipped, uint64_t seed)
    : shipped_(shipped), choices_(seed) {}

void WorldTexts::change() {
  if (choices_.chance(20) || world_.objects.empty()) {
    const World& other = choices_.pick(shipped_);
    if (other.objects.empty()) return;
    size_t count = 1 + choices_.below(8);
    for (size_t i = 0; i < count && world_.objects.size() < kMostInWorld; ++i) {
      world_.objects.push_back(choices_.pick(other.objects));
    }
  } else {
    mutate(world_, choices_);
    if (world_.objects.size() > kMostInWorld) world_.objects.resize(kMostInWorld);
  }
}

std::vector<NamedText> WorldTexts::step(int changes) {
  for (int i = 0; i < changes; ++i) change();
  std::map<std::string, StoredText> now;
  for (const json& object : world_.objects) {
    std::string name = text_name(object);
    if (name.empty()) continue;
    std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
    now.emplace(std::move(name), StoredText(std::move(text)));
  }
  std::vector<NamedText> changed;
  for (const auto& [name, text] : now) {
    auto before = texts_.find(name);
    if (before == texts_.end() || !(before->second == text)) changed.push_back({name, text});
  }
  for (const auto& [name, text] : texts_) {
    if (!now.contains(name)) changed.push_back({name, {}});
  }
  texts_ = std::move(now);
  return changed;
}

std::vector<NamedText> WorldTexts::all() const {
  std::vector<NamedText> texts;
  for (const auto& [name, text] : texts_) texts.push_back({name, text});
  return texts;
}

}  // namespace trellis::worlds
