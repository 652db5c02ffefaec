#include "server/wording/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "framework/queue.h"
#include "server/document/document_writer.h"

namespace trellis {
namespace {

std::string scaled(int64_t amount, int64_t base, const std::array<std::string_view, 7>& suffixes) {
  size_t step = 0;
  while (amount != 0 && step + 1 < suffixes.size() && amount % base == 0) {
    amount /= base;
    ++step;
  }
  return std::to_string(amount).append(suffixes[step]);
}

std::string bytes_text(int64_t bytes) {
  std::string binary = scaled(bytes, 1024, {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"});
  std::string decimal = scaled(bytes, 1000, {"", "k", "M", "G", "T", "P", "E"});
  return decimal.size() < binary.size() ? decimal : binary;
}

// With the part behind the point as it is.
std::string grouped_milli_text(int64_t milli) {
  std::string text = milli_text(milli);
  return grouped_text(milli / kMilli) + text.substr(std::min(text.find('.'), text.size()));
}

// In the largest unit of which there are 1 or more; of units above GiB, 10 or more.
std::string people_bytes_text(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  constexpr size_t kGibi = 3;
  size_t step = 0;
  int64_t unit = 1;
  while (step + 1 < kUnits.size()) {
    int64_t least = step + 1 > kGibi ? 10 : 1;
    if (std::abs(bytes) / least < unit * 1024) break;
    unit *= 1024;
    ++step;
  }
  auto tenths = static_cast<int64_t>(
      std::llround(static_cast<double>(bytes) / static_cast<double>(unit) * 10));
  std::string text = grouped_text(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(std::abs(tenths % 10));
  return text.append(kUnits[step]);
}

}  // namespace

std::string milli_text(int64_t milli) {
  std::string text = milli < 0 ? "-" : "";
  text += std::to_string(std::abs(milli / kMilli));
  int64_t rest = std::abs(milli % kMilli);
  if (rest == 0) return text;
  std::string digits = std::to_string(kMilli + rest).substr(1);
  return text + "." + digits.erase(digits.find_last_not_of('0') + 1);
}

std::string quantity_text(int64_t amount, Unit unit) {
  switch (unit) {
    case Unit::MilliCpu:
      return amount % kMilli == 0 ? std::to_string(amount / kMilli) : std::to_string(amount) + "m";
    case Unit::Bytes:
      return bytes_text(amount);
    case Unit::MilliGpu:
      return milli_text(amount);
    case Unit::Count:
      return std::to_string(amount);
  }
  return "";
}

std::string people_quantity_text(int64_t amount, Unit unit) {
  switch (unit) {
    case Unit::MilliCpu:
      return grouped_milli_text(amount) + (amount == kMilli ? " core" : " cores");
    case Unit::Bytes:
      return people_bytes_text(amount);
    case Unit::MilliGpu:
      return grouped_milli_text(amount);
    case Unit::Count:
      return grouped_text(amount);
  }
  return "";
}

std::string percent_text(double part) {
  double percent = part * 100;
  if (percent >= 1e6) return "over 1000000%";
  return number_text(static_cast<double>(static_cast<int64_t>(percent * 10 + 0.5)) / 10) + "%";
}

std::string grouped_text(int64_t number) {
  std::string text = std::to_string(number);
  size_t first = number < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string pods_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " pod" : " pods");
}

std::string count_text(int64_t found, int64_t needed) {
  return std::to_string(found) + "/" + std::to_string(needed);
}

namespace {

constexpr double kMegabyte = 1e6;

}  // namespace

double in_queue_units(QueueResource resource, int64_t amount) {
  if (amount == QueueShare::kUnlimited) return -1;
  double number = static_cast<double>(amount);
  if (resource == QueueResource::Gpu) return number / kMilli;
  return resource == QueueResource::Memory ? number / kMegabyte : number;
}

std::string queue_amount_text(QueueResource resource, int64_t amount) {
  if (amount == QueueShare::kUnlimited) return "-";
  switch (resource) {
    case QueueResource::Gpu:
      return people_quantity_text(amount, Unit::MilliGpu);
    case QueueResource::Cpu:
      return people_quantity_text(amount, Unit::MilliCpu);
    case QueueResource::Memory:
      return people_quantity_text(amount, Unit::Bytes);
  }
  return "";
}

}  // namespace trellis
