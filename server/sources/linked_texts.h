// The texts of a live cluster's objects, each with what it hangs together with, and the part of
// them that a change makes it necessary to read again.
//
// Guarantees: read alone, the part says of all that the change can reach what the whole would say.
// Whatever else stands in it is there to be looked at: as nothing of it changed, it says the same
// before and after the change. Cost: a part O(what it holds and the topics of that).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/sources/text_links.h"

namespace trellis {

class LinkedTexts {
 public:
  using Number = uint32_t;
  struct Text {
    const std::string* name = nullptr;
    std::shared_ptr<const std::string> text;  // null: there is none yet
    TextLinks links;
    std::optional<TextLinks> coming;  // those of the text that it is about to have
  };

  std::optional<Number> find(const std::string& name) const;
  // The known one of this name, or a new one without text.
  Number add(const std::string& name);
  const Text& operator[](Number number) const { return texts_[number]; }
  size_t size() const { return numbers_.size(); }
  int64_t local_queues() const { return local_queues_; }

  // It will be linked so: parts hold both what hung together with it and what will.
  void expect(Number number, TextLinks links);
  // As expected; null: it is gone.
  void settle(Number number, std::shared_ptr<const std::string> text);
  // In other words that are not read.
  void rephrase(Number number, std::shared_ptr<const std::string> text);

  struct Part {
    std::vector<Number> texts;    // by name
    std::vector<Number> reached;  // those of which something else may be said now
  };
  Part part(std::span<const Number> changed) const;
  // The numbers of all, by name.
  std::vector<Number> all() const;

 private:
  struct Holder {
    Number number;
    uint8_t roles;
    bool operator==(const Holder&) const = default;
  };
  struct Topic {
    boost::container::small_vector<Holder, 2> holders;
    uint32_t binders = 0;
  };
  class Walk;

  void hold(Number number, const TextLinks& links);
  void release(Number number, const TextLinks& links);
  void sort_by_name(std::vector<Number>& numbers) const;

  std::vector<Text> texts_;
  std::vector<Number> free_;
  std::unordered_map<std::string, Number> numbers_;
  absl::flat_hash_map<uint64_t, Topic> topics_;
  std::vector<Number> far_reaching_;  // those that every part holds
  int64_t local_queues_ = 0;
};

}  // namespace trellis
