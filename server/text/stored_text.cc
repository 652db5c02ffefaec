#include "server/text/stored_text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace trellis {
namespace {

// An encoded text alternates: the number of new bytes and these bytes; then, unless the text is
// complete, where the bytes that the base has begin, and their number. The beginning is counted
// from where the base would go on if the new bytes had replaced as many of its own.

constexpr uint16_t kNowhere = 0xFFFF;
constexpr size_t kWord = sizeof(uint64_t);

uint64_t word_at(std::string_view text, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, text.data() + at, kWord);
  return word;
}

size_t slot_of(uint64_t word, size_t slots) {
  constexpr uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  return (word * kOdd) >> (64 - std::bit_width(slots - 1));
}

void write_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

uint64_t read_number(const char*& at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    auto byte = static_cast<unsigned char>(*at++);
    number |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
}

// Small numbers of either sign become small numbers.
uint64_t zigzag(int64_t number) {
  return (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63);
}
int64_t unzigzag(uint64_t number) {
  return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
}

// Calls new_bytes(bytes, count) and copy(beginning in the base, count), and returns the end.
template <class NewBytes, class Copy>
const char* walk(const char* at, size_t size, NewBytes new_bytes, Copy copy) {
  size_t done = 0;
  int64_t next = 0;  // in the base
  while (done < size) {
    size_t count = read_number(at);
    new_bytes(at, count);
    at += count;
    done += count;
    next += static_cast<int64_t>(count);
    if (done == size) break;
    next += unzigzag(read_number(at));
    count = read_number(at);
    copy(static_cast<size_t>(next), count);
    done += count;
    next += static_cast<int64_t>(count);
  }
  return at;
}

}  // namespace

StoredText::Head* StoredText::make(std::string_view bytes) {
  void* memory = ::operator new(sizeof(Head) + bytes.size());
  auto* head = new (memory) Head;
  std::memcpy(static_cast<void*>(head + 1), bytes.data(), bytes.size());
  return head;
}

StoredText::StoredText(std::string_view text) : head_(make(text)) {
  head_->size = static_cast<uint32_t>(text.size());
}

StoredText::StoredText(size_t size, std::string_view encoded, const StoredText& base)
    : head_(make(encoded)) {
  head_->size = static_cast<uint32_t>(size);
  head_->base = base.head_;
  base.head_->owners.fetch_add(1, std::memory_order_relaxed);
}

void StoredText::release(Head* head) {
  // A base has no base, so that there are two turns at most.
  while (head != nullptr && head->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Head* base = head->base;
    head->~Head();
    ::operator delete(head);
    head = base;
  }
}

void StoredText::copy_to(std::string& text) const {
  const char* bytes = bytes_of(head_);
  if (head_->base == nullptr) {
    text.assign(bytes, head_->size);
    return;
  }
  text.resize(head_->size);
  char* out = text.data();
  auto append = [&](const char* from, size_t count) {
    std::memcpy(out, from, count);
    out += count;
  };
  const char* base = bytes_of(head_->base);
  walk(bytes, head_->size, append, [&](size_t from, size_t count) { append(base + from, count); });
}

std::string StoredText::str() const {
  std::string text;
  copy_to(text);
  return text;
}

size_t StoredText::stored_bytes() const {
  if (head_->base == nullptr) return head_->size;
  const char* begin = bytes_of(head_);
  auto nothing = [](auto, size_t) {};
  return static_cast<size_t>(walk(begin, head_->size, nothing, nothing) - begin);
}

bool StoredText::operator==(const StoredText& other) const {
  if (head_ == other.head_) return true;
  if (head_ == nullptr || other.head_ == nullptr || size() != other.size()) return false;
  return str() == other.str();
}

TextPacker::Base TextPacker::make_base(const StoredText& text) {
  Base base{text, {StoredText::bytes_of(text.head_), text.size()}, {}};
  base.position.assign(std::bit_ceil(text.size()), kNowhere);
  for (size_t at = 0; at + kWord <= base.bytes.size(); ++at) {
    base.position[slot_of(word_at(base.bytes, at), base.position.size())] =
        static_cast<uint16_t>(at);
  }
  return base;
}

// Leaves the result in encoded_. False: it would be larger than half of the text.
bool TextPacker::encode(std::string_view text, const Base& base) {
  encoded_.clear();
  size_t written = 0;  // of the text
  size_t next = 0;     // in the base, had nothing been replaced
  auto find = [&](size_t at) -> size_t {
    uint64_t word = word_at(text, at);
    size_t same = next + (at - written);
    auto matches = [&](size_t from) {
      return from + kWord <= base.bytes.size() && word_at(base.bytes, from) == word;
    };
    if (matches(same)) return same;
    size_t from = base.position[slot_of(word, base.position.size())];
    return matches(from) ? from : kNowhere;
  };
  auto write_new = [&](size_t end) {
    write_number(encoded_, end - written);
    encoded_.append(text.substr(written, end - written));
  };
  for (size_t at = 0; at + kWord <= text.size();) {
    size_t from = find(at);
    if (from == kNowhere) {
      ++at;
      if (encoded_.size() + (at - written) > text.size() / 2) return false;
      continue;
    }
    size_t end = at + kWord;
    for (size_t to = from + kWord;
         end < text.size() && to < base.bytes.size() && text[end] == base.bytes[to]; ++to)
      ++end;
    while (at > written && from > 0 && text[at - 1] == base.bytes[from - 1]) --at, --from;
    write_new(at);
    auto expected = static_cast<int64_t>(next + (at - written));
    write_number(encoded_, zigzag(static_cast<int64_t>(from) - expected));
    write_number(encoded_, end - at);
    next = from + (end - at);
    written = at = end;
  }
  if (written < text.size()) write_new(text.size());
  return encoded_.size() <= text.size() / 2;
}

StoredText TextPacker::pack(std::string_view text) {
  if (text.size() < kLeastBytes || text.size() >= kMostBytes) return StoredText(text);
  auto used = std::ranges::find_if(bases_, [&](const Base& base) { return encode(text, base); });
  StoredText stored =
      used == bases_.end() ? StoredText(text) : StoredText(text.size(), encoded_, used->text);
  if (used == bases_.end()) {
    if (bases_.size() == kMostBases) bases_.pop_back();
    used = bases_.insert(bases_.end(), make_base(stored));
  }
  std::rotate(bases_.begin(), used, used + 1);
  return stored;
}

}  // namespace trellis
