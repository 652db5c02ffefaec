#include "server/sources/text_graph.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace trellis {

std::optional<TextGraph::Number> TextGraph::find(std::string_view name) const {
  auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

void TextGraph::reserve(size_t texts) {
  if (!texts_.empty()) return;
  texts_.reserve(texts);
  numbers_.reserve(texts);
  users_.reserve(texts);
}

TextGraph::Number TextGraph::add(const SharedText& name) {
  auto [found, added] = numbers_.emplace(name, static_cast<Number>(texts_.size()));
  if (!added) return found->second;
  if (free_.empty()) {
    texts_.emplace_back();
  } else {
    found->second = free_.back();
    free_.pop_back();
  }
  texts_[found->second].name = name;
  return found->second;
}

void TextGraph::hold(Number number, const Dependencies& dependencies) {
  for (const DependencyKey& key : dependencies.keys) {
    KeyUsers& users = users_[key.hash];
    users.all.push_back({number, key.roles});
    if ((key.roles & DependencyKey::kBinds) != 0) ++users.binders;
  }
}

void TextGraph::release(Number number, const Dependencies& dependencies) {
  for (const DependencyKey& key : dependencies.keys) {
    auto found = users_.find(key.hash);
    KeyUsers& users = found->second;
    auto held = std::find(users.all.begin(), users.all.end(), KeyUser{number, key.roles});
    *held = users.all.back();
    users.all.pop_back();
    if ((key.roles & DependencyKey::kBinds) != 0) --users.binders;
    if (users.all.empty()) users_.erase(found);
  }
}

void TextGraph::expect(Number number, Dependencies dependencies) {
  Text& text = texts_[number];
  if (dependencies.keys != text.dependencies.keys) hold(number, dependencies);
  text.coming = std::make_unique<Dependencies>(std::move(dependencies));
}

void TextGraph::settle(Number number, StoredText text, uint64_t content,
                       SharedValue<DecodedObject> object) {
  Text& here = texts_[number];
  Dependencies dependencies = std::move(*std::exchange(here.coming, nullptr));
  if (dependencies.keys != here.dependencies.keys) release(number, here.dependencies);
  bool was_far = here.dependencies.reach == Dependencies::Reach::Everything;
  bool is_far = dependencies.reach == Dependencies::Reach::Everything;
  if (is_far && !was_far) far_reaching_.push_back(number);
  if (was_far && !is_far) std::erase(far_reaching_, number);
  local_queues_ += (dependencies.local_queue ? 1 : 0) - (here.dependencies.local_queue ? 1 : 0);
  here.dependencies = std::move(dependencies);
  here.text = std::move(text);
  here.content = content;
  here.object = std::move(object);
  if (here.text) return;
  numbers_.erase(here.name);
  here = {};
  free_.push_back(number);
}

void TextGraph::rephrase(Number number, StoredText text) { texts_[number].text = std::move(text); }

void TextGraph::decode_again(Number number, SharedValue<DecodedObject> object) {
  texts_[number].object = std::move(object);
}

class TextGraph::Walk {
 public:
  Walk(const TextGraph& texts, std::span<const Number> changed)
      : texts_(texts), changed_(changed.begin(), changed.end()) {}

  Part run() {
    for (Number number : changed_) reach(number);
    for (size_t i = 0; i < part_.reached.size(); ++i) reach_dependents(part_.reached[i]);
    part_.texts = part_.reached;
    for (Number number : part_.reached)
      read(number, DependencyKey::kProvides | DependencyKey::kProvidesText);
    // Texts that are only context need their owners, and not their whole part.
    for (size_t i = 0; i < looked_at_.size(); ++i) read(looked_at_[i], DependencyKey::kProvides);
    for (Number number : texts_.far_reaching_) take(number);
    texts_.sort_by_name(part_.texts);
    return std::move(part_);
  }

 private:
  template <class Use>
  void each_key(Number number, Use use) const {
    const Text& text = texts_.texts_[number];
    for (const DependencyKey& key : text.dependencies.keys) use(key);
    if (!text.coming) return;
    for (const DependencyKey& key : text.coming->keys) use(key);
  }

  // Null: the key has no user any more.
  const KeyUsers* users(uint64_t of) const {
    auto found = texts_.users_.find(of);
    return found == texts_.users_.end() ? nullptr : &found->second;
  }

  void reach(Number number) {
    if (taken_.insert(number).second) part_.reached.push_back(number);
  }

  void take(Number number) {
    if (taken_.insert(number).second) part_.texts.push_back(number);
  }

  void reach_dependents(Number number) {
    bool changed = changed_.contains(number);
    each_key(number, [&](const DependencyKey& key) {
      const KeyUsers* users = this->users(key.hash);
      if (users == nullptr) return;
      bool bound = users->binders > 0 && (key.roles & DependencyKey::kReads) != 0;
      bool provides = bound || (key.roles & DependencyKey::kProvides) != 0 ||
                      (changed && (key.roles & DependencyKey::kProvidesText) != 0);
      if (!provides || !spread_.insert(key.hash).second) return;
      for (const KeyUser& user : users->all) {
        if ((user.roles & DependencyKey::kReads) != 0) reach(user.number);
      }
    });
  }

  // Takes the texts that this text reads: those that have one of the roles `ways` in its keys.
  void read(Number number, int ways) {
    each_key(number, [&](const DependencyKey& key) {
      if ((key.roles & DependencyKey::kReads) == 0) return;
      bool whole = (ways & DependencyKey::kProvidesText) != 0;
      if (!(whole ? read_ : looked_up_).insert(key.hash).second) return;
      const KeyUsers* users = this->users(key.hash);
      if (users == nullptr) return;
      for (const KeyUser& user : users->all) {
        if ((user.roles & ways) == 0) continue;
        take(user.number);
        // A text that was taken alone before may need its owners now.
        bool looked_at = (user.roles & DependencyKey::kProvides) != 0;
        if (looked_at && seen_.insert(user.number).second) looked_at_.push_back(user.number);
      }
    });
  }

  const TextGraph& texts_;
  absl::flat_hash_set<Number> changed_;
  absl::flat_hash_set<Number> taken_;
  absl::flat_hash_set<Number> seen_;
  absl::flat_hash_set<uint64_t> spread_;
  absl::flat_hash_set<uint64_t> read_;
  absl::flat_hash_set<uint64_t> looked_up_;
  std::vector<Number> looked_at_;
  Part part_;
};

TextGraph::Part TextGraph::part(std::span<const Number> changed) const {
  return Walk(*this, changed).run();
}

void TextGraph::sort_by_name(std::vector<Number>& numbers) const {
  std::vector<std::pair<std::string_view, Number>> named;
  named.reserve(numbers.size());
  for (Number number : numbers) named.emplace_back(texts_[number].name, number);
  if (std::ranges::is_sorted(named)) return;
  std::ranges::sort(named);
  std::ranges::copy(named | std::views::values, numbers.begin());
}

std::vector<TextGraph::Number> TextGraph::all() const {
  std::vector<Number> numbers;
  numbers.reserve(numbers_.size());
  for (Number number = 0; number < texts_.size(); ++number) {
    if (!texts_[number].name.empty()) numbers.push_back(number);
  }
  sort_by_name(numbers);
  return numbers;
}

}  // namespace trellis
