#include "server/kueue/assignment_encoder.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/json_text.h"
#include "server/kueue/assignment_slices.h"
#include "server/kueue/assignment_text.h"

namespace trellis {
namespace {

constexpr size_t kAhead = 16;  // domains: names are anywhere in memory, and are prefetched

// LengthPen computes how long a text will be, apart from escapes; TextPen writes the text. Both
// have the same interface.
class LengthPen {
 public:
  size_t length() const { return length_; }
  void put(char) { ++length_; }
  void put(std::string_view text) { length_ += text.size(); }
  void quote(std::string_view text) { length_ += text.size() + 2; }

 private:
  size_t length_ = 0;
};

class TextPen {
 public:
  TextPen(std::string& out, size_t length) : out_(out) {
    out.resize(out.size() + length);
    at_ = out.data() + out.size() - length;
  }
  void put(char c) { *at_++ = c; }
  void put(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  void quote(std::string_view text) {
    char* begin = at_;
    put('"');
    for (char c : text) {
      bool plain = c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
      if (!plain) return escape(begin, text);
      put(c);
    }
    put('"');
  }

 private:
  void escape(char* begin, std::string_view text) {
    std::string quoted;
    append_json_string(quoted, text);
    auto used = static_cast<size_t>(begin - out_.data());
    out_.resize(out_.size() + quoted.size() - text.size() - 2);
    at_ = out_.data() + used;
    put(quoted);
  }

  std::string& out_;
  char* at_;
};

template <class Pen>
void put_number(Pen& pen, size_t number) {
  char digits[20];
  char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  pen.put(std::string_view(digits, static_cast<size_t>(end - digits)));
}

// The items with commas between them, in brackets.
template <class Pen, class PutItem>
void put_list(Pen& pen, size_t begin, size_t end, PutItem put_item) {
  pen.put('[');
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) pen.put(',');
    put_item(i);
  }
  pen.put(']');
}

template <class Pen>
void put_levels(Pen& pen, const AssignmentText& assignment) {
  pen.put("{\"levels\":");
  put_list(pen, 0, assignment.levels.size(), [&](size_t l) { pen.quote(assignment.levels[l]); });
}

template <class Pen>
void put_slice_level(Pen& pen, const AssignmentText& assignment, const AssignmentSlice& slice,
                     size_t level) {
  const SliceLevel& parts = slice.levels[level];
  if (parts.universal) {
    pen.put("{\"universal\":");
    pen.quote(parts.prefix);
    pen.put('}');
    return;
  }
  pen.put("{\"individual\":{");
  if (!parts.prefix.empty()) {
    pen.put("\"prefix\":");
    pen.quote(parts.prefix);
    pen.put(',');
  }
  if (!parts.suffix.empty()) {
    pen.put("\"suffix\":");
    pen.quote(parts.suffix);
    pen.put(',');
  }
  pen.put("\"roots\":");
  put_list(pen, slice.begin, slice.end, [&](size_t domain) {
    if (domain + kAhead < assignment.domains()) {
      std::string_view later = assignment.value(domain + kAhead, level);
      __builtin_prefetch(later.data() + std::min(later.size(), parts.prefix.size()));
    }
    std::string_view value = assignment.value(domain, level);
    value.remove_prefix(parts.prefix.size());
    value.remove_suffix(parts.suffix.size());
    pen.quote(value);
  });
  pen.put("}}");
}

template <class Pen>
void put_slice(Pen& pen, const AssignmentText& assignment, const AssignmentSlice& slice) {
  pen.put("{\"domainCount\":");
  put_number(pen, slice.end - slice.begin);
  pen.put(",\"valuesPerLevel\":");
  put_list(pen, 0, slice.levels.size(),
           [&](size_t level) { put_slice_level(pen, assignment, slice, level); });
  auto put_count = [&](size_t domain) {
    put_number(pen, static_cast<size_t>(assignment.counts[domain]));
  };
  pen.put(",\"podCounts\":{");
  if (slice.equal_counts) {
    pen.put("\"universal\":");
    put_count(slice.begin);
  } else {
    pen.put("\"individual\":");
    put_list(pen, slice.begin, slice.end, put_count);
  }
  pen.put("}}");
}

template <class Pen>
void put_compact(Pen& pen, const AssignmentText& assignment,
                 const std::vector<AssignmentSlice>& slices) {
  put_levels(pen, assignment);
  pen.put(",\"slices\":");
  put_list(pen, 0, slices.size(), [&](size_t i) { put_slice(pen, assignment, slices[i]); });
  pen.put('}');
}

template <class Pen>
void put_plain(Pen& pen, const AssignmentText& assignment) {
  put_levels(pen, assignment);
  pen.put(",\"domains\":");
  put_list(pen, 0, assignment.domains(), [&](size_t domain) {
    pen.put("{\"values\":");
    put_list(pen, 0, assignment.levels.size(),
             [&](size_t level) { pen.quote(assignment.value(domain, level)); });
    pen.put(",\"count\":");
    put_number(pen, static_cast<size_t>(assignment.counts[domain]));
    pen.put('}');
  });
  pen.put('}');
}

size_t compact_length(const AssignmentText& assignment,
                      const std::vector<AssignmentSlice>& slices) {
  LengthPen pen;
  put_compact(pen, assignment, slices);
  return pen.length();
}

void append_compact(std::string& out, const AssignmentText& assignment) {
  AssignmentSlicer slicer(assignment);
  std::vector<AssignmentSlice> slices = slicer.by_prefix();
  size_t length = compact_length(assignment, slices);
  if (slices.size() > 1 && assignment.domains() <= kMostSliceDomains) {
    std::vector<AssignmentSlice> whole = slicer.whole();
    size_t whole_length = compact_length(assignment, whole);
    if (whole_length < length) {
      slices = std::move(whole);
      length = whole_length;
    }
  }
  TextPen pen(out, length);
  put_compact(pen, assignment, slices);
}

void append_plain(std::string& out, const AssignmentText& assignment) {
  LengthPen length;
  put_plain(length, assignment);
  TextPen pen(out, length.length());
  put_plain(pen, assignment);
}

}  // namespace

void append_assignment(std::string& out, const TopologyAssignment& assignment,
                       const StringTable& strings, AssignmentForm form) {
  AssignmentText text(assignment, strings);
  if (form == AssignmentForm::Compact) {
    append_compact(out, text);
  } else {
    append_plain(out, text);
  }
}

}  // namespace trellis
