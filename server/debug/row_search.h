// Finds the rows of a list that a request asks for, among all rows, and bounds the answer.
//
// Words: a row matches when each word of the request is a part of its text, in either case; its
// details are looked at only where its name does not match already.
// Cost: O(rows x their text); names are sorted by the caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/debug/parameters.h"
#include "server/document/document_writer.h"

namespace trellis {

class SearchWords {
 public:
  SearchWords() = default;
  explicit SearchWords(std::string_view text);
  bool empty() const { return words_.empty(); }
  bool all_in(std::string_view text) const;

 private:
  std::vector<std::string> words_;  // in lower case
};

enum class RowsInOrder : uint8_t {
  Name,
  Status,   // what waits first; of equal status, what waits longest first
  Waiting,  // what waits longest first
};

struct RowRequest {
  std::string status;  // "": any
  std::string queue;   // "": any
  SearchWords words;
  RowsInOrder order = RowsInOrder::Name;
  int64_t limit = 0;
};

inline constexpr int64_t kMostRows = 1000;

// Takes status, queue, q, order and limit.
RowRequest take_row_request(Parameters& parameters, std::span<const std::string_view> statuses);

template <class Id>
struct FoundRows {
  std::vector<Id> rows;                          // at most the limit
  size_t more = 0;                               // others that are asked for
  std::map<std::string_view, int64_t> statuses;  // of all that match, whatever status is asked for
  bool of_queue = false;                         // some row is of the queue that is asked for
};

// `Rows` has, for each id: status(id), rank(id) of its status, queue(id), name(id), details(id) and
// since(id), when it began to wait.
template <class Id, class Rows>
FoundRows<Id> find_rows(std::vector<Id> ids, const Rows& rows, const RowRequest& request) {
  FoundRows<Id> found;
  std::erase_if(ids, [&](Id id) {
    if (!request.queue.empty() && rows.queue(id) != request.queue) return true;
    found.of_queue = true;
    if (!request.words.empty()) {
      std::string text = rows.name(id);
      if (!request.words.all_in(text) && !request.words.all_in(text + ' ' + rows.details(id))) {
        return true;
      }
    }
    std::string_view status = rows.status(id);
    ++found.statuses[status];
    return !request.status.empty() && status != request.status;
  });
  auto key = [&](Id id) {
    TimeUs since = rows.since(id);
    return std::tuple(request.order == RowsInOrder::Status ? rows.rank(id) : 0, since == kNoTime,
                      since);
  };
  if (request.order != RowsInOrder::Name) {
    std::vector<std::pair<decltype(key(Id())), Id>> keyed;
    for (Id id : ids) keyed.emplace_back(key(id), id);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = keyed[i].second;
  }
  found.more = ids.size() - std::min(ids.size(), static_cast<size_t>(request.limit));
  ids.resize(ids.size() - found.more);
  found.rows = std::move(ids);
  return found;
}

// "more" and "statuses" in the open object.
void write_found(DocumentWriter& out, size_t more,
                 const std::map<std::string_view, int64_t>& statuses);

}  // namespace trellis
