#include "server/debug/row_search.h"

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr std::string_view kOrders[] = {"name", "status", "waiting"};

}  // namespace

SearchWords::SearchWords(std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words_.push_back(lower(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool SearchWords::all_in(std::string_view text) const {
  if (words_.empty()) return true;
  std::string searched = lower(text);
  return std::ranges::all_of(
      words_, [&](const std::string& word) { return searched.find(word) != std::string::npos; });
}

RowRequest take_row_request(Parameters& parameters, std::span<const std::string_view> statuses) {
  RowRequest request{.status = parameters.word("status", statuses),
                     .queue = parameters.text("queue"),
                     .words = SearchWords(parameters.text("q"))};
  std::string order = parameters.word("order", kOrders);
  if (order == "status") request.order = RowsInOrder::Status;
  if (order == "waiting") request.order = RowsInOrder::Waiting;
  request.limit = parameters.count("limit", kMostRows);
  return request;
}

void write_found(DocumentWriter& out, size_t more,
                 const std::map<std::string_view, int64_t>& statuses) {
  out.field("more", more);
  out.begin_object("statuses");
  for (const auto& [status, count] : statuses) out.field(status, count);
  out.end_object();
}

}  // namespace trellis
