// The members of a record, in their order, without a list of them that is kept by hand.
//
// Guarantees: with_members(record, use) calls use(member...) with every member of an aggregate that
// has no base class; one with more than kMostMembers does not compile. structure_of<T>() is a text
// of the types of T's members at any depth, and of the names of enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace trellis {

inline constexpr size_t kMostMembers = 30;

// Converts to any member.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT: what a member is made of, never called
};

template <class T, size_t... Index>
constexpr bool takes_members(std::index_sequence<Index...> /*members*/) {
  return requires { T{((void)Index, AnyMember())...}; };
}

// An aggregate takes as many values as it has members, and fewer.
template <class T, size_t Count = kMostMembers + 1>
constexpr size_t member_count() {
  if constexpr (takes_members<T>(std::make_index_sequence<Count>())) {
    return Count;
  } else {
    static_assert(Count > 0);
    return member_count<T, Count - 1>();
  }
}

template <class T, class Use>
// NOLINTNEXTLINE(misc-no-recursion): as deep as the types of records.
decltype(auto) with_members(T& record, const Use& use) {
  constexpr size_t count = member_count<std::remove_const_t<T>>();
  static_assert(count <= kMostMembers);
  if constexpr (count == 1) {
    auto& [m1] = record;
    return use(m1);
  } else if constexpr (count == 2) {
    auto& [m1, m2] = record;
    return use(m1, m2);
  } else if constexpr (count == 3) {
    auto& [m1, m2, m3] = record;
    return use(m1, m2, m3);
  } else if constexpr (count == 4) {
    auto& [m1, m2, m3, m4] = record;
    return use(m1, m2, m3, m4);
  } else if constexpr (count == 5) {
    auto& [m1, m2, m3, m4, m5] = record;
    return use(m1, m2, m3, m4, m5);
  } else if constexpr (count == 6) {
    auto& [m1, m2, m3, m4, m5, m6] = record;
    return use(m1, m2, m3, m4, m5, m6);
  } else if constexpr (count == 7) {
    auto& [m1, m2, m3, m4, m5, m6, m7] = record;
    return use(m1, m2, m3, m4, m5, m6, m7);
  } else if constexpr (count == 8) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8);
  } else if constexpr (count == 9) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9);
  } else if constexpr (count == 10) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
  } else if constexpr (count == 11) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
  } else if constexpr (count == 12) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
  } else if constexpr (count == 13) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
  } else if constexpr (count == 14) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
  } else if constexpr (count == 15) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
  } else if constexpr (count == 16) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
  } else if constexpr (count == 17) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
  } else if constexpr (count == 18) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] =
        record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
  } else if constexpr (count == 19) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] =
        record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
               m19);
  } else if constexpr (count == 20) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20);
  } else if constexpr (count == 21) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21);
  } else if constexpr (count == 22) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22);
  } else if constexpr (count == 23) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23);
  } else if constexpr (count == 24) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24);
  } else if constexpr (count == 25) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25);
  } else if constexpr (count == 26) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25, m26] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26);
  } else if constexpr (count == 27) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25, m26, m27] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27);
  } else if constexpr (count == 28) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25, m26, m27, m28] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27, m28);
  } else if constexpr (count == 29) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27, m28, m29);
  } else if constexpr (count == 30) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = record;
    return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30);
  }
}

// What the compiler calls this function, which names the type or the value.
template <auto Value>
constexpr std::string_view signature_of_value() {
  return __PRETTY_FUNCTION__;
}

// Whether an enumerator has this value: gcc and clang name it then, and show a cast otherwise.
template <class Enum, int Value>
constexpr bool is_enumerator() {
  std::string_view text = signature_of_value<static_cast<Enum>(Value)>();
  size_t begin = text.find("Value = ") + std::string_view("Value = ").size();
  return text[begin] != '(';
}

inline constexpr int kMostEnumerators = 128;

template <class Enum, int Value = 0>
constexpr int enumerator_count() {
  if constexpr (Value < kMostEnumerators && is_enumerator<Enum, Value>()) {
    return enumerator_count<Enum, Value + 1>();
  } else {
    return Value;
  }
}

}  // namespace trellis
