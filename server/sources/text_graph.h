// The texts of a live cluster's objects with the dependencies of each, and the part of them that
// must be read again after a change.
//
// Guarantees: for every object that the change can affect, reading the part alone has the same
// result as reading all texts. The other texts of the part are context: as they did not change,
// their result is the same before and after the change. Cost: a part O(its texts and their keys).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "server/manifest/decoded_object.h"
#include "server/objects/dependencies.h"
#include "server/text/stored_text.h"

namespace trellis {

class TextGraph {
 public:
  using Number = uint32_t;
  struct Text {
    SharedText name;                    // empty: no text has the number
    StoredText text;                    // none: there is none yet
    uint64_t content = 0;               // of the text (text_content.h); 0: not computed yet
    SharedValue<DecodedObject> object;  // null: each reading decodes the text
    Dependencies dependencies;
    std::unique_ptr<Dependencies> coming;  // of the text that it is about to have; or null
  };

  std::optional<Number> find(std::string_view name) const;
  // So many texts are about to be added. Makes room for the first ones; later ones come one by one.
  void reserve(size_t texts);
  // The number of this name: the known one, or a new one without text.
  Number add(const SharedText& name);
  const Text& operator[](Number number) const { return texts_[number]; }
  size_t size() const { return numbers_.size(); }
  int64_t local_queues() const { return local_queues_; }

  // Announces the dependencies of the next text. Parts then follow both the old dependencies and
  // the announced ones.
  void expect(Number number, Dependencies dependencies);
  // Makes the announced dependencies current, with the new text; null: the object is gone.
  void settle(Number number, StoredText text, uint64_t content, SharedValue<DecodedObject> object);
  void set_content(Number number, uint64_t content) { texts_[number].content = content; }
  // Replaces the text by one that differs only in what is not read.
  void rephrase(Number number, StoredText text);
  // Replaces the decoded object, which has the ids of another vocabulary.
  void decode_again(Number number, SharedValue<DecodedObject> object);

  struct Part {
    std::vector<Number> texts;    // by name
    std::vector<Number> reached;  // whose objects the change may affect
  };
  Part part(std::span<const Number> changed) const;
  // The numbers of all texts, by name.
  std::vector<Number> all() const;
  void sort_by_name(std::vector<Number>& numbers) const;

 private:
  struct KeyUser {
    Number number;
    uint8_t roles;
    bool operator==(const KeyUser&) const = default;
  };
  struct KeyUsers {
    boost::container::small_vector<KeyUser, 2> all;
    uint32_t binders = 0;
  };
  class Walk;

  void hold(Number number, const Dependencies& dependencies);
  void release(Number number, const Dependencies& dependencies);

  std::vector<Text> texts_;
  std::vector<Number> free_;
  absl::flat_hash_map<SharedText, Number, TextHash, TextEqual> numbers_;
  absl::flat_hash_map<uint64_t, KeyUsers> users_;
  std::vector<Number> far_reaching_;  // are in every part
  int64_t local_queues_ = 0;
};

}  // namespace trellis
