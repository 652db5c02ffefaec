#include "tests/server/system/temporary_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace trellis::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "trellis-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write_now(std::string_view name, std::string_view text) const {
  std::ofstream(file(name), std::ios::binary | std::ios::trunc) << text;
}

void TemporaryFolder::write(std::string_view name, std::string_view text) {
  constexpr time_t long_ago_s = 3600;
  write_now(name, text);
  timespec then{.tv_sec = std::time(nullptr) - long_ago_s, .tv_nsec = ++clock_};
  timespec times[2] = {then, then};
  ::utimensat(AT_FDCWD, file(name).c_str(), times, 0);
}

void TemporaryFolder::remove(std::string_view name) const { std::filesystem::remove(file(name)); }

}  // namespace trellis::test
