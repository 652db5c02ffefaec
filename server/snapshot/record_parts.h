// The parts that records are made of, distinguished at compile time by those who write, read
// and describe records.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cel/quantity.h"
#include "cel/value.h"
#include "framework/ids.h"
#include "framework/shared_list.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "server/snapshot/input_records.h"
#include "server/snapshot/members.h"
#include "session/cluster/shared_spec.h"

namespace trellis {

// The value that an optional, a list or a pointer holds; void: the type is none of these.
template <class T>
struct OptionalOf : std::type_identity<void> {};
template <class T>
struct OptionalOf<std::optional<T>> : std::type_identity<T> {};
template <class T>
struct ListOf : std::type_identity<void> {};
template <class T>
struct ListOf<std::vector<T>> : std::type_identity<T> {};
template <class T>
struct ListOf<SharedList<T>> : std::type_identity<T> {};
template <>
struct ListOf<PodRecords> : std::type_identity<PodRecord> {};
template <class T>
struct ArrayOf : std::type_identity<void> {};
template <class T, size_t Size>
struct ArrayOf<std::array<T, Size>> : std::type_identity<T> {};
template <class T>
struct MapOf : std::type_identity<void> {};
template <class Key, class Value>
struct MapOf<std::map<Key, Value>> : std::type_identity<std::pair<Key, Value>> {};
template <class T>
struct SharedOf : std::type_identity<void> {};
template <class T>
struct SharedOf<SharedValue<T>> : std::type_identity<T> {};
template <class T>
struct SharedOf<std::shared_ptr<const T>> : std::type_identity<T> {};
template <>
struct SharedOf<SharedSpec> : std::type_identity<PodSpec> {};
template <class T>
struct MaybeOf : std::type_identity<void> {};
template <class T>
struct MaybeOf<Maybe<T>> : std::type_identity<T> {};

template <template <class> class Of, class T>
inline constexpr bool kIs = !std::is_void_v<typename Of<T>::type>;

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<StrongId<Tag>> = true;

template <class T>
inline constexpr bool kIsPair = false;
template <class A, class B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

template <class T>
inline constexpr bool kIsText =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
    std::is_same_v<T, SharedText>;

// Calls use(part...) with all parts of a record.
template <class T, class Use>
// NOLINTNEXTLINE(misc-no-recursion): as deep as the types of records.
void with_parts(T& record, const Use& use) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, JobRecord>) {  // an aggregate with a base class
    auto& base = static_cast<
        std::conditional_t<std::is_const_v<T>, const PodTemplateRecord, PodTemplateRecord>&>(
        record);
    use(base, record.parallelism, record.completions, record.indexed, record.over, record.succeeded,
        record.backoff_limit, record.deadline_us, record.completed, record.parallelism_at,
        record.scheduling);
  } else {
    with_members(record, use);
  }
}

// Members that with_parts() does not pass on would be lost.
static_assert(sizeof(JobRecord) == sizeof(PodTemplateRecord) + 2 * sizeof(int64_t) +
                                       sizeof(std::optional<int64_t>) + 3 * sizeof(int64_t) +
                                       sizeof(JobRecord::completed) + sizeof(Place) +
                                       sizeof(JobRecord::scheduling));

// How a value that many records share is written: as nothing, at its first place as itself, later
// as its number among the values of its type and this.
inline constexpr uint64_t kNoValue = 0;
inline constexpr uint64_t kNewValue = 1;
inline constexpr uint64_t kFirstNumber = 2;

// A number for each type, in the order of first use.
inline size_t next_type_number() {
  static std::atomic<size_t> next = 0;
  return next++;
}
template <class T>
size_t type_number() {
  static const size_t number = next_type_number();
  return number;
}

}  // namespace trellis
