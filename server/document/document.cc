#include "server/document/document.h"

#include <xxhash.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "server/text/printable.h"

namespace trellis {
namespace {

bool is_plain_word(std::string_view key) {
  if (key.empty()) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t both[2] = {a, b};
  return XXH3_64bits(both, sizeof both);
}

}  // namespace

Value Document::root() const { return elements_.empty() ? Value() : Value(this, 0); }

std::string Document::path(uint32_t index) const {
  std::string path = base_path_;
  uint32_t at = 0;
  for (size_t depth = 0; at != index; ++depth) {
    bool object = elements_[at].kind == ValueKind::Object;
    PathStep step{at, at + 1, 0};
    bool known = depth < last_path_.size() && last_path_[depth].container == at;
    if (known && last_path_[depth].child <= index) step = last_path_[depth];
    for (uint32_t next = after(object ? step.child + 1 : step.child); index >= next;
         next = after(object ? next + 1 : next)) {
      step.child = next;
      ++step.position;
    }
    if (!known || last_path_[depth].child != step.child) {
      last_path_.resize(depth);
      last_path_.push_back(step);
    }
    path += object ? path_step(elements_[step.child].view())
                   : "[" + std::to_string(step.position) + "]";
    if (index == step.child) return path;
    at = object ? step.child + 1 : step.child;
  }
  return path;
}

void Document::clear() {
  elements_.clear();
  last_path_.clear();
  texts_.clear();
}

std::string_view Value::text() const {
  if (!is(ValueKind::String) && !is(ValueKind::Number)) return {};
  return element().view();
}

uint32_t Value::size() const {
  return is(ValueKind::Array) || is(ValueKind::Object) ? element().length : 0;
}

std::string Value::path() const { return document_ == nullptr ? "" : document_->path(index_); }

Value Value::operator[](std::string_view key) const {
  if (!is(ValueKind::Object)) return {};
  uint16_t tag = Document::Element::tag_of(key);
  uint32_t end = element().end;
  for (uint32_t at = index_ + 1; at < end; at = document_->after(at + 1)) {
    if (document_->element(at).is_key(key, tag)) return {document_, at + 1};
  }
  return {};
}

Value::Member Value::MemberIterator::operator*() const {
  return {document_->element(index_).view(), {document_, index_}, {document_, index_ + 1}};
}

Value::MemberIterator& Value::MemberIterator::operator++() {
  index_ = document_->after(index_ + 1);
  return *this;
}

Value::ItemIterator& Value::ItemIterator::operator++() {
  index_ = document_->after(index_);
  return *this;
}

Value::Range<Value::MemberIterator> Value::members() const {
  if (!is(ValueKind::Object)) return {{nullptr, 0}, {nullptr, 0}};
  return {{document_, index_ + 1}, {document_, element().end}};
}

Value::Range<Value::ItemIterator> Value::items() const {
  if (!is(ValueKind::Array)) return {{nullptr, 0}, {nullptr, 0}};
  return {{document_, index_ + 1}, {document_, element().end}};
}

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 80;
  size_t cut = std::min(text.size(), kLongest);
  // Never cuts a UTF-8 sequence.
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
    --cut;
  }
  return "\"" + printable(text.substr(0, cut)) + (cut < text.size() ? "...\"" : "\"");
}

std::string describe(Value value) {
  if (!value.exists()) return "nothing";
  if (value.is(ValueKind::Null)) return "null";
  if (value.is(ValueKind::Bool)) return value.boolean() ? "true" : "false";
  if (value.is(ValueKind::Number)) {
    std::string number = in_quotes(value.text());
    return "the number " + number.substr(1, number.size() - 2);
  }
  if (value.is(ValueKind::String)) return in_quotes(value.text());
  return value.is(ValueKind::Array) ? "a list" : "an object";
}

std::string path_step(std::string_view key) {
  if (is_plain_word(key)) return "." + std::string(key);
  return "[" + in_quotes(key) + "]";
}

uint64_t content_hash(Value value) {
  if (!value.exists()) return 0;
  const Document& document = *value.document();
  uint32_t first = value.index();
  uint32_t end = document.after(first);
  constexpr size_t kFew = 64;
  boost::container::small_vector<uint64_t, kFew> hashes(end - first,
                                                        boost::container::default_init);
  uint64_t last = 0;
  // Children follow their parent in the list: from back to front, their hashes are known before the
  // parent's is computed.
  for (uint32_t at = end; at-- > first;) {
    const Document::Element& element = document.element(at);
    auto kind = static_cast<uint64_t>(element.kind);
    uint64_t hash = kind;
    switch (element.kind) {
      case ValueKind::Null:
        break;
      case ValueKind::Bool:
        hash = mix(kind, element.boolean ? 1 : 0);
        break;
      case ValueKind::Number:
      case ValueKind::String:
        hash = mix(kind, XXH3_64bits(element.text, element.length));
        break;
      case ValueKind::Array:
        for (uint32_t child = at + 1; child < element.end; child = document.after(child)) {
          hash = mix(hash, hashes[child - first]);
        }
        break;
      case ValueKind::Object:
        for (uint32_t child = at + 1; child < element.end; child = document.after(child + 1)) {
          hash += mix(hashes[child - first], hashes[child + 1 - first]);
        }
        hash = mix(kind, hash);
        break;
    }
    hashes[at - first] = hash;
    last = hash;
  }
  return last;
}

}  // namespace trellis
