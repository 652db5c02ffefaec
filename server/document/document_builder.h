// Fills a document with the elements that a reader finds, in order. The readers of JSON and YAML
// both use it, so that both have the same rules: a bound on depth, no key twice in an object.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "server/document/document.h"

namespace trellis {

inline constexpr size_t kMaxDepth = 100;  // Kubernetes' own objects stay far below

class DocumentBuilder {
 public:
  // `document` is cleared and must outlive the builder. Texts must outlive the document's content.
  explicit DocumentBuilder(Document& document);

  void null(uint32_t line) { add(ValueKind::Null, {}, line); }
  void boolean(bool value, uint32_t line);
  void number(std::string_view text, uint32_t line) { add(ValueKind::Number, text, line); }
  void string(std::string_view text, uint32_t line) { add(ValueKind::String, text, line); }
  void key(std::string_view text, uint32_t line);
  bool begin(ValueKind container, uint32_t line);  // false when that is too deep: nothing is added
  void end();

  using Elements = std::vector<Document::Element>;
  // extract() copies an element with its content; append() adds such a copy elsewhere. False when
  // that is too deep: nothing is added.
  Elements extract(uint32_t from) const;
  bool append(const Elements& elements);
  // Replaces the members of the innermost open object by the members whose keys are at these
  // indexes, in this order.
  void replace_members(const std::vector<uint32_t>& keys);

  // Drops the last member of the innermost open object, whose key is at index `key`.
  void drop_member(uint32_t key);

  size_t depth() const { return open_.size(); }
  uint32_t innermost() const { return open_.back(); }
  bool in_object() const { return document_.elements_[open_.back()].kind == ValueKind::Object; }
  uint32_t size() const { return document_.size(); }
  Document& document() { return document_; }
  const Document& document() const { return document_; }

  // The number of duplicate keys that readers list; the others are counted.
  static constexpr size_t kMostDuplicates = 100;
  struct DuplicateKey {
    uint32_t first;
    uint32_t second;
  };
  const std::vector<DuplicateKey>& duplicates() const { return duplicates_; }

 private:
  void add(ValueKind kind, std::string_view text, uint32_t line);
  void put(ValueKind kind, std::string_view text, uint32_t line);
  void count_child();
  void check_keys(uint32_t object);

  Document& document_;
  // Most documents need no memory beside the builder's own.
  template <size_t size>
  using Few = boost::container::small_vector<uint32_t, size>;

  std::vector<DuplicateKey> duplicates_;
  Few<16> open_;  // containers that have begun and not ended
  Few<16> keys_;  // a member so that its memory is reused
};

}  // namespace trellis
