#include "server/app/console.h"

#include <algorithm>
#include <string>

#include "server/text/printable.h"
#include "server/wording/quantity_text.h"

namespace trellis {

void Console::print(std::string_view text) { out.write(printable_lines(text, out_colours)); }

void Console::complain(std::string_view message) {
  std::string line = styled("trellis:", Style::Bad, err_colours).append(" ").append(message);
  err.write(printable_lines(line, err_colours).append("\n"));
}

namespace {

constexpr std::chrono::seconds kQuiet{1};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr int64_t kMegabyte = 1'000'000;

std::string megabytes(int64_t bytes) { return grouped_text(bytes / kMegabyte); }

}  // namespace

bool Progress::is_due(Clock::time_point now) {
  if (!console_.err_is_terminal || now - start_ < kQuiet || now - drawn_ < kRedraw) return false;
  drawn_ = now;
  shown_ = true;
  return true;
}

void Progress::update_gangs(size_t done, size_t all, Clock::time_point now) {
  if (all == 0 || !is_due(now)) return;
  Share share{static_cast<int64_t>(done), static_cast<int64_t>(all)};
  console_.err.write("\r\x1b[Ksimulating: " + bar(share, kBarWidth, console_.glyphs) + " " +
                     grouped_text(share.used) + " of " + grouped_text(share.total) + " gangs");
}

void Progress::update(int64_t bytes_done, int64_t bytes_total, Clock::time_point now) {
  if (!is_due(now)) return;
  std::string text = "\r\x1b[Kreading: " + megabytes(bytes_done);
  if (bytes_total > 0) {
    int64_t percent = std::clamp<int64_t>(bytes_done * 100 / bytes_total, 0, 100);
    text += " of " + megabytes(bytes_total) + " MB, " + std::to_string(percent) + " %";
  } else {
    text += " MB";
  }
  console_.err.write(text);
}

Progress::~Progress() {
  if (shown_) console_.err.write("\r\x1b[K");
}

}  // namespace trellis
