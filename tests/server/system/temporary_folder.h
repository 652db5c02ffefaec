// A folder that is gone after the test.
#pragma once

#include <string>
#include <string_view>

namespace trellis::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Written long ago, and later than all that was written before: no reader waits for its writer.
  void write(std::string_view name, std::string_view text);
  // Written just now.
  void write_now(std::string_view name, std::string_view text) const;
  void remove(std::string_view name) const;

 private:
  std::string path_;
  int64_t clock_ = 0;
};

}  // namespace trellis::test
