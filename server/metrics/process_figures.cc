#include "server/metrics/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace trellis {
namespace {

constexpr double kUsPerSecond = 1e6;

int64_t entries_of(const char* directory) {
  std::error_code failure;
  int64_t count = 0;
  for (std::filesystem::directory_iterator it(directory, failure), end; !failure && it != end;
       it.increment(failure)) {
    ++count;
  }
  return count;
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  if (!(file >> size >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

double cpu_seconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kUsPerSecond;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int64_t max_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace

ProcessFigures read_process_figures() {
  return {.cpu_seconds = cpu_seconds(),
          .resident_bytes = resident_bytes(),
          // Listing the folder takes one descriptor itself.
          .open_descriptors = entries_of("/proc/self/fd") - 1,
          .max_descriptors = max_descriptors(),
          .threads = entries_of("/proc/self/task")};
}

}  // namespace trellis
