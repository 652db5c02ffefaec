// One document of the input, YAML or JSON: a flat list of elements with their lines.
//
// An element is a scalar, a container, or an object's key. A container is followed by its content;
// in an object keys and values alternate. So a document costs 24 bytes an element, is built in one
// pass, and the JSON path of any element can be computed from its index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/text_arena.h"

namespace trellis {

enum class ValueKind : uint8_t { Null, Bool, Number, String, Array, Object };

class Value;

class Document {
 public:
  struct Element {
    const char* text = nullptr;  // String, Number, key: decoded, without escapes and quotes
    uint32_t length = 0;         // of the text; of a container: the number of items or members
    uint32_t end = 0;            // the index behind it and its content
    uint32_t line = 0;
    ValueKind kind = ValueKind::Null;
    bool boolean = false;
    uint16_t tag = 0;  // of a key: tag_of() its text
    std::string_view view() const { return {text, length}; }
    // Most keys differ in it, so that most comparisons do not look at their texts.
    static uint16_t tag_of(std::string_view key) {
      if (key.empty()) return 0;
      auto first = static_cast<unsigned char>(key[key.size() / 2]);
      auto last = static_cast<unsigned char>(key.back());
      return static_cast<uint16_t>(first << 8 | last);
    }
    // Of an element that is a key.
    bool is_key(std::string_view key, uint16_t key_tag) const {
      return tag == key_tag && length == key.size() && view() == key;
    }
    bool is_container() const { return kind == ValueKind::Array || kind == ValueKind::Object; }
  };

  Document() = default;
  // Values refer to the document object that they were made from, not to its content.
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;

  Value root() const;
  bool empty() const { return elements_.empty(); }
  const Element& element(uint32_t index) const { return elements_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(elements_.size()); }
  // The index behind an element and its content.
  uint32_t after(uint32_t index) const { return elements_[index].end; }

  // "$.spec.levels[0]", from the root of the document that the file holds. O(document) for one
  // path, and also for any number of paths together that are requested in order.
  std::string path(uint32_t index) const;

  int64_t number() const { return number_; }  // from 1, within the file
  void set_number(int64_t number) { number_ = number; }
  // The path of this document in the file's document, when it is an item of a list that is read
  // item by item.
  const std::string& base_path() const { return base_path_; }
  void set_base_path(std::string path) { base_path_ = std::move(path); }

  // Copies the text into memory that lasts as long as the document's content.
  std::string_view keep(std::string_view text) { return texts_.keep(text); }
  void clear();

 private:
  friend class DocumentBuilder;

  // A step of the last path: from a container to one of its children.
  struct PathStep {
    uint32_t container = 0;
    uint32_t child = 0;  // of an object the key
    size_t position = 0;
  };

  std::vector<Element> elements_;
  TextArena texts_;
  int64_t number_ = 1;
  std::string base_path_ = "$";
  mutable std::vector<PathStep> last_path_;
};

// An element of a document, or nothing. A look-up in nothing returns nothing, so that chained
// look-ups need no checks.
class Value {
 public:
  Value() = default;
  Value(const Document* document, uint32_t index) : document_(document), index_(index) {}

  bool exists() const { return document_ != nullptr; }
  bool absent() const { return document_ == nullptr || element().kind == ValueKind::Null; }
  bool is(ValueKind kind) const { return document_ != nullptr && element().kind == kind; }
  std::string_view text() const;  // of a String or a Number; "" of any other kind
  bool boolean() const { return is(ValueKind::Bool) && element().boolean; }
  uint32_t size() const;  // the number of items or members
  int64_t line() const { return document_ == nullptr ? 0 : element().line; }
  std::string path() const;
  const Document* document() const { return document_; }
  uint32_t index() const { return index_; }

  Value operator[](std::string_view key) const;

  struct Member;
  class MemberIterator {
   public:
    MemberIterator(const Document* document, uint32_t index) : document_(document), index_(index) {}
    Member operator*() const;
    MemberIterator& operator++();
    bool operator==(const MemberIterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    uint32_t index_;
  };
  class ItemIterator {
   public:
    ItemIterator(const Document* document, uint32_t index) : document_(document), index_(index) {}
    Value operator*() const { return {document_, index_}; }
    ItemIterator& operator++();
    bool operator==(const ItemIterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    uint32_t index_;
  };
  template <class Iterator>
  struct Range {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  Range<MemberIterator> members() const;  // none unless it is an Object
  Range<ItemIterator> items() const;      // none unless it is an Array

 private:
  const Document::Element& element() const { return document_->element(index_); }

  const Document* document_ = nullptr;
  uint32_t index_ = 0;
};

struct Value::Member {
  std::string_view key;
  Value at_key;  // the key itself, for its location
  Value value;
};

// Describes a value for a message: `"text"`, `the number 5`, `an object`, `nothing`, ...
std::string describe(Value value);
std::string in_quotes(std::string_view text);  // cut when long

// A key as a step of a path: `.spec`, or `["a/b"]` when it is not a plain word.
std::string path_step(std::string_view key);

// A hash of the content. Line numbers and the order of keys do not change it.
uint64_t content_hash(Value value);

}  // namespace trellis
