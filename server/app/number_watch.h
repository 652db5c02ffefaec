// The files of numbers of nodes that a configuration names (plugin labelscore), as they change.
//
// Guarantees: a file is read when a poll finds it as the poll before found it, so that none is read
// while it is written. Cost of a poll: the status of each file, and the files where one changed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "server/config/config_reader.h"

namespace trellis {

class NumberWatch {
 public:
  // `config` was read from this file a moment ago; "": from none, and it names no files.
  NumberWatch(std::string config_file, const Config& config)
      : config_file_(std::move(config_file)) {
    follow(config);
  }

  // `config` was read again, with its files.
  void follow(const Config& config) {
    paths_ = node_number_paths(config_file_, config);
    read_ = seen_ = look();
  }

  // All numbers, where a file has changed since they were read; with errors if some cannot be read.
  std::optional<NodeNumberReading> poll(const Config& config) {
    std::vector<Status> now = look();
    bool stable = std::exchange(seen_, now) == now;
    if (!stable || now == read_) return std::nullopt;
    read_ = std::move(now);
    return read_node_numbers(config_file_, config);
  }

 private:
  struct Status {
    int64_t size = -1;  // there is no such file
    int64_t changed_ns = 0;
    uint64_t inode = 0;
    bool operator==(const Status&) const = default;
  };

  static Status status_of(const std::string& path) {
    constexpr int64_t kSecondNs = 1'000'000'000;
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    return {.size = found.st_size,
            .changed_ns = found.st_mtim.tv_sec * kSecondNs + found.st_mtim.tv_nsec,
            .inode = found.st_ino};
  }

  std::vector<Status> look() const {
    std::vector<Status> all;
    for (const std::string& path : paths_) all.push_back(status_of(path));
    return all;
  }

  std::string config_file_;
  std::vector<std::string> paths_;
  std::vector<Status> read_;  // when they were read last
  std::vector<Status> seen_;  // by the last poll
};

}  // namespace trellis
