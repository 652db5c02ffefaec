#include "server/snapshot/record_structure.h"

#include <xxhash.h>

#include <set>
#include <string>
#include <string_view>

#include "server/snapshot/record_parts.h"

namespace trellis {
namespace {

template <class T>
constexpr std::string_view signature_of_type() {
  return __PRETTY_FUNCTION__;
}

// NOLINTBEGIN(misc-no-recursion): as deep as the types of records, and as owners that owners make.
class Description {
 public:
  template <class T>
  void add() {
    // A type that is part of itself is described once.
    if (!seen_.insert(signature_of_type<T>()).second) return;
    text_.append(signature_of_type<T>()).append("{");
    if constexpr (std::is_enum_v<T>) {
      add_enumerators<T>(std::make_integer_sequence<int, enumerator_count<T>()>());
    } else if constexpr (kIs<OptionalOf, T>) {
      add<typename OptionalOf<T>::type>();
    } else if constexpr (kIs<ListOf, T>) {
      add<typename ListOf<T>::type>();
    } else if constexpr (kIs<ArrayOf, T>) {
      add<typename ArrayOf<T>::type>();
    } else if constexpr (kIs<MapOf, T>) {
      add<typename MapOf<T>::type>();
    } else if constexpr (kIs<SharedOf, T>) {
      add<typename SharedOf<T>::type>();
    } else if constexpr (kIsPair<T>) {
      add<typename T::first_type>();
      add<typename T::second_type>();
    } else if constexpr (std::is_aggregate_v<T> && !std::is_arithmetic_v<T>) {
      const T example{};
      with_parts(example, [this]<class... Parts>(const Parts&... /*parts*/) {
        (text_.append(signature_of_type<Parts>()).append(","), ...);
        (add<Parts>(), ...);
      });
    }
    text_ += "}";
  }
  const std::string& text() const { return text_; }

 private:
  template <class Enum, int... Values>
  void add_enumerators(std::integer_sequence<int, Values...> /*values*/) {
    (text_.append(signature_of_value<static_cast<Enum>(Values)>()), ...);
  }

  std::set<std::string_view> seen_;
  std::string text_;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

uint64_t structure_of_records() {
  Description description;
  description.add<InputRecords>();
  return XXH3_64bits(description.text().data(), description.text().size());
}

}  // namespace trellis
