#include "server/document/document_builder.h"

#include <algorithm>
#include <tuple>

namespace trellis {
DocumentBuilder::DocumentBuilder(Document& document) : document_(document) { document_.clear(); }

void DocumentBuilder::key(std::string_view text, uint32_t line) {
  put(ValueKind::String, text, line);
  document_.elements_.back().tag = Document::Element::tag_of(text);
}

void DocumentBuilder::boolean(bool value, uint32_t line) {
  add(ValueKind::Bool, {}, line);
  document_.elements_.back().boolean = value;
}

bool DocumentBuilder::begin(ValueKind container, uint32_t line) {
  if (open_.size() >= kMaxDepth) return false;
  add(container, {}, line);
  open_.push_back(document_.size() - 1);
  return true;
}

void DocumentBuilder::end() {
  uint32_t container = open_.back();
  open_.pop_back();
  document_.elements_[container].end = document_.size();
  if (document_.elements_[container].kind == ValueKind::Object) check_keys(container);
}

DocumentBuilder::Elements DocumentBuilder::extract(uint32_t from) const {
  auto first = document_.elements_.begin() + from;
  Elements elements(first, document_.elements_.begin() + document_.after(from));
  for (Document::Element& element : elements) element.end -= from;
  return elements;
}

bool DocumentBuilder::append(const Elements& elements) {
  std::vector<uint32_t> inside;
  for (uint32_t at = 0; at < elements.size(); ++at) {
    while (!inside.empty() && at >= inside.back()) inside.pop_back();
    if (!elements[at].is_container()) continue;
    inside.push_back(elements[at].end);
    if (open_.size() + inside.size() > kMaxDepth) return false;
  }
  count_child();
  uint32_t shift = document_.size();
  for (Document::Element element : elements) {
    element.end += shift;
    document_.elements_.push_back(element);
  }
  return true;
}

void DocumentBuilder::replace_members(const std::vector<uint32_t>& keys) {
  uint32_t object = open_.back();
  Elements members;
  for (uint32_t key : keys) {
    auto shift = object + 1 + static_cast<uint32_t>(members.size()) - key;  // may wrap around
    uint32_t end = document_.after(key + 1);
    for (uint32_t at = key; at < end; ++at) {
      Document::Element element = document_.elements_[at];
      element.end += shift;
      members.push_back(element);
    }
  }
  document_.elements_.resize(object + 1);
  document_.elements_.insert(document_.elements_.end(), members.begin(), members.end());
  document_.elements_[object].length = static_cast<uint32_t>(keys.size());
}

void DocumentBuilder::drop_member(uint32_t key) {
  document_.elements_.resize(key);
  --document_.elements_[open_.back()].length;
}

void DocumentBuilder::add(ValueKind kind, std::string_view text, uint32_t line) {
  count_child();
  put(kind, text, line);
}

void DocumentBuilder::put(ValueKind kind, std::string_view text, uint32_t line) {
  Document::Element element;
  element.text = text.data();
  element.length = static_cast<uint32_t>(text.size());
  element.end = document_.size() + 1;
  element.line = line;
  element.kind = kind;
  document_.elements_.push_back(element);
}

void DocumentBuilder::count_child() {
  if (!open_.empty()) ++document_.elements_[open_.back()].length;
}

void DocumentBuilder::check_keys(uint32_t object) {
  constexpr uint32_t kFew = 12;
  const Document::Element& element = document_.elements_[object];
  if (element.length < 2) return;
  keys_.clear();
  for (uint32_t key = object + 1; key < element.end; key = document_.after(key + 1)) {
    const Document::Element& known = document_.elements_[key];
    if (element.length <= kFew) {
      for (uint32_t before : keys_) {
        if (!document_.elements_[before].is_key(known.view(), known.tag)) continue;
        duplicates_.push_back({before, key});
        break;
      }
    }
    keys_.push_back(key);
  }
  if (element.length <= kFew) return;
  std::sort(keys_.begin(), keys_.end(), [this](uint32_t a, uint32_t b) {
    return std::tuple(document_.elements_[a].view(), a) <
           std::tuple(document_.elements_[b].view(), b);
  });
  for (size_t i = 1; i < keys_.size(); ++i) {
    if (document_.elements_[keys_[i - 1]].view() == document_.elements_[keys_[i]].view()) {
      duplicates_.push_back({keys_[i - 1], keys_[i]});
    }
  }
}

}  // namespace trellis
