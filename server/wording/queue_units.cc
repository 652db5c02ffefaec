#include "server/wording/queue_units.h"

#include <cmath>

#include "framework/queue.h"
#include "server/document/document_writer.h"

namespace trellis {
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
  double number = in_queue_units(resource, amount);
  if (resource == QueueResource::Memory) return number_text(std::round(number)) + " MB";
  return number_text(number) + (resource == QueueResource::Cpu ? "m" : "");
}

}  // namespace trellis
