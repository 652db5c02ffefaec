#include "server/sources/source_texts.h"

#include <utility>

namespace trellis {

void SourceTexts::apply(TextChanges changes) {
  make_pods_ = changes.make_pods;
  hold_gpu_fractions_ = changes.hold_gpu_fractions;
  shard_ = std::move(changes.shard);
  if (changes.whole) {
    texts_.clear();
    places_.clear();
    free_.clear();
  }
  for (NamedText& change : changes.texts) {
    auto known = places_.find(change.name);
    if (!change.text) {
      if (known == places_.end()) continue;
      texts_[known->second] = {};
      free_.push_back(known->second);
      places_.erase(known);
    } else if (known != places_.end()) {
      texts_[known->second].text = std::move(change.text);
    } else if (free_.empty()) {
      places_.emplace(change.name, texts_.size());
      texts_.push_back(std::move(change));
    } else {
      places_.emplace(change.name, free_.back());
      texts_[free_.back()] = std::move(change);
      free_.pop_back();
    }
  }
}

Manifest SourceTexts::read() const {
  std::vector<NamedText> texts;
  texts.reserve(texts_.size());
  for (const NamedText& text : texts_) {
    if (text.text) texts.push_back(text);
  }
  ReadOptions options;
  options.keep_raw = true;
  options.make_pods = make_pods_;
  Vocabulary vocabulary;
  return shard_ ? read_shard_texts(texts, vocabulary, options, *shard_)
                : read_manifest_texts(texts, vocabulary, options);
}

}  // namespace trellis
