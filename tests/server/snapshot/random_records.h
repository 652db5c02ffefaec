// Records with random contents, every member of every kind.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "cel/quantity.h"
#include "cel/value.h"
#include "server/snapshot/record_parts.h"

namespace trellis {

class RandomRecords {
 public:
  // `strings`, `resources`: so many ids there are.
  RandomRecords(uint32_t seed, size_t strings, size_t resources)
      : random_(seed), strings_(strings), resources_(resources) {}

  template <class T>
  void fill(T& part) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      part = {};  // no reader names a plugin
    } else if constexpr (kIsText<T>) {
      part = std::string(below(3) == 0 ? 0 : below(12), static_cast<char>('a' + below(26)));
    } else if constexpr (kIsId<T>) {
      part = below(4) == 0 ? T() : T(static_cast<uint32_t>(below(most_of<T>())));
    } else if constexpr (kIs<MaybeOf, T>) {
      typename MaybeOf<T>::type id;
      fill(id);
      part = id;
    } else if constexpr (std::is_same_v<T, bool>) {
      part = below(2) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      part = static_cast<T>(below(enumerator_count<T>()));
    } else if constexpr (std::is_same_v<T, double>) {
      part = static_cast<double>(below(1000)) / 7 - 50;
    } else if constexpr (std::is_arithmetic_v<T>) {
      part = static_cast<T>(random_() >> below(64));
    } else if constexpr (std::is_same_v<T, cel::Quantity>) {
      part = cel::Quantity::of_nanos(cel::Quantity::Nanos{static_cast<int64_t>(random_())} *
                                     static_cast<int64_t>(below(1 << 20)));
    } else if constexpr (std::is_same_v<T, cel::Value>) {
      part = value();
    } else {
      fill_parts(part);
    }
  }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }
  cel::Value value() {
    switch (below(4)) {
      case 0:
        return cel::Value::boolean(below(2) == 1);
      case 1:
        return cel::Value::integer(static_cast<int64_t>(random_()));
      case 2:
        return cel::Value::string(std::string(below(9), 'v'));
      default:
        return cel::Value::list({cel::Value::integer(1), cel::Value::string("two")});
    }
  }
  template <class Id>
  size_t most_of() const {
    if constexpr (std::is_same_v<Id, StrId>) return strings_;
    if constexpr (std::is_same_v<Id, ResourceId>) return resources_;
    return 1000;
  }

  template <class T>
  void fill_parts(T& part) {
    if constexpr (kIs<OptionalOf, T>) {
      if (below(2) == 0) fill(part.emplace());
    } else if constexpr (kIs<ListOf, T>) {
      for (uint64_t left = below(3); left > 0; --left) fill(part.emplace_back());
    } else if constexpr (kIs<MapOf, T>) {
      typename MapOf<T>::type item;
      fill(item);
      part.insert(std::move(item));
    } else if constexpr (kIs<ArrayOf, T>) {
      for (auto& item : part) fill(item);
    } else if constexpr (kIsPair<T>) {
      fill(part.first);
      fill(part.second);
    } else if constexpr (kIs<SharedOf, T>) {
      fill_shared(part);
    } else if constexpr (std::is_same_v<T, ResourceList>) {
      part.set(ResourceId(below(resources_)), static_cast<int64_t>(below(1000)) + 1);
    } else {
      with_parts(part, [this](auto&... parts) { (fill(parts), ...); });
    }
  }

  template <class Pointer>
  void fill_shared(Pointer& pointer) {
    using Shared = typename SharedOf<Pointer>::type;
    if (depth_ > 3 || below(2) == 0) return;
    ++depth_;
    Shared value;
    fill(value);
    if constexpr (std::is_same_v<Pointer, std::shared_ptr<const Shared>>) {
      pointer = std::make_shared<const Shared>(std::move(value));
    } else {
      pointer = Pointer(std::move(value));
    }
    --depth_;
  }

  std::mt19937_64 random_;
  size_t strings_;
  size_t resources_;
  int depth_ = 0;
};

}  // namespace trellis
