#include "server/sources/linked_texts.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

namespace trellis {

std::optional<LinkedTexts::Number> LinkedTexts::find(const std::string& name) const {
  auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

LinkedTexts::Number LinkedTexts::add(const std::string& name) {
  auto [found, added] = numbers_.emplace(name, static_cast<Number>(texts_.size()));
  if (!added) return found->second;
  if (free_.empty()) {
    texts_.emplace_back();
  } else {
    found->second = free_.back();
    free_.pop_back();
  }
  texts_[found->second].name = &found->first;
  return found->second;
}

void LinkedTexts::hold(Number number, const TextLinks& links) {
  for (const TextLink& link : links.links) {
    Topic& topic = topics_[link.topic];
    topic.holders.push_back({number, link.roles});
    if ((link.roles & TextLink::kBinds) != 0) ++topic.binders;
  }
}

void LinkedTexts::release(Number number, const TextLinks& links) {
  for (const TextLink& link : links.links) {
    auto found = topics_.find(link.topic);
    Topic& topic = found->second;
    auto held = std::find(topic.holders.begin(), topic.holders.end(), Holder{number, link.roles});
    *held = topic.holders.back();
    topic.holders.pop_back();
    if ((link.roles & TextLink::kBinds) != 0) --topic.binders;
    if (topic.holders.empty()) topics_.erase(found);
  }
}

void LinkedTexts::expect(Number number, TextLinks links) {
  Text& text = texts_[number];
  if (links.links != text.links.links) hold(number, links);
  text.coming = std::move(links);
}

void LinkedTexts::settle(Number number, std::shared_ptr<const std::string> text) {
  Text& here = texts_[number];
  TextLinks links = *std::exchange(here.coming, std::nullopt);
  if (links.links != here.links.links) release(number, here.links);
  bool was_far = here.links.reach == TextLinks::Reach::Everything;
  bool is_far = links.reach == TextLinks::Reach::Everything;
  if (is_far && !was_far) far_reaching_.push_back(number);
  if (was_far && !is_far) std::erase(far_reaching_, number);
  local_queues_ += (links.local_queue ? 1 : 0) - (here.links.local_queue ? 1 : 0);
  here.links = std::move(links);
  here.text = std::move(text);
  if (here.text) return;
  numbers_.erase(std::string(*here.name));
  here = {};
  free_.push_back(number);
}

void LinkedTexts::rephrase(Number number, std::shared_ptr<const std::string> text) {
  texts_[number].text = std::move(text);
}

class LinkedTexts::Walk {
 public:
  Walk(const LinkedTexts& texts, std::span<const Number> changed)
      : texts_(texts), changed_(changed.begin(), changed.end()) {}

  Part run() {
    for (Number number : changed_) reach(number);
    for (size_t i = 0; i < part_.reached.size(); ++i) tell(part_.reached[i]);
    part_.texts = part_.reached;
    for (Number number : part_.reached) read(number, TextLink::kTells | TextLink::kTellsText);
    // Texts that are only context need their owners, and not their whole part.
    for (size_t i = 0; i < looked_at_.size(); ++i) read(looked_at_[i], TextLink::kTells);
    for (Number number : texts_.far_reaching_) take(number);
    texts_.sort_by_name(part_.texts);
    return std::move(part_);
  }

 private:
  template <class Use>
  void each_link(Number number, Use use) const {
    const Text& text = texts_.texts_[number];
    for (const TextLink& link : text.links.links) use(link);
    if (!text.coming) return;
    for (const TextLink& link : text.coming->links) use(link);
  }

  // Null: the topic has no holder any more.
  const Topic* topic(uint64_t of) const {
    auto found = texts_.topics_.find(of);
    return found == texts_.topics_.end() ? nullptr : &found->second;
  }

  void reach(Number number) {
    if (taken_.insert(number).second) part_.reached.push_back(number);
  }

  void take(Number number) {
    if (taken_.insert(number).second) part_.texts.push_back(number);
  }

  void tell(Number number) {
    bool changed = changed_.contains(number);
    each_link(number, [&](const TextLink& link) {
      const Topic* topic = this->topic(link.topic);
      if (topic == nullptr) return;
      bool bound = topic->binders > 0 && (link.roles & TextLink::kReads) != 0;
      bool tells = bound || (link.roles & TextLink::kTells) != 0 ||
                   (changed && (link.roles & TextLink::kTellsText) != 0);
      if (!tells || !told_.insert(link.topic).second) return;
      for (const Holder& holder : topic->holders) {
        if ((holder.roles & TextLink::kReads) != 0) reach(holder.number);
      }
    });
  }

  // Takes the texts that this text reads: those that have one of the roles `ways` in its topics.
  void read(Number number, int ways) {
    each_link(number, [&](const TextLink& link) {
      if ((link.roles & TextLink::kReads) == 0) return;
      bool whole = (ways & TextLink::kTellsText) != 0;
      if (!(whole ? read_ : looked_up_).insert(link.topic).second) return;
      const Topic* topic = this->topic(link.topic);
      if (topic == nullptr) return;
      for (const Holder& holder : topic->holders) {
        if ((holder.roles & ways) == 0) continue;
        take(holder.number);
        // A text that was taken alone before may need its owners now.
        bool looked_at = (holder.roles & TextLink::kTells) != 0;
        if (looked_at && seen_.insert(holder.number).second) looked_at_.push_back(holder.number);
      }
    });
  }

  const LinkedTexts& texts_;
  absl::flat_hash_set<Number> changed_;
  absl::flat_hash_set<Number> taken_;
  absl::flat_hash_set<Number> seen_;
  absl::flat_hash_set<uint64_t> told_;
  absl::flat_hash_set<uint64_t> read_;
  absl::flat_hash_set<uint64_t> looked_up_;
  std::vector<Number> looked_at_;
  Part part_;
};

LinkedTexts::Part LinkedTexts::part(std::span<const Number> changed) const {
  return Walk(*this, changed).run();
}

void LinkedTexts::sort_by_name(std::vector<Number>& numbers) const {
  std::sort(numbers.begin(), numbers.end(),
            [this](Number a, Number b) { return *texts_[a].name < *texts_[b].name; });
}

std::vector<LinkedTexts::Number> LinkedTexts::all() const {
  std::vector<Number> numbers;
  numbers.reserve(numbers_.size());
  for (Number number = 0; number < texts_.size(); ++number) {
    if (texts_[number].name != nullptr) numbers.push_back(number);
  }
  sort_by_name(numbers);
  return numbers;
}

}  // namespace trellis
