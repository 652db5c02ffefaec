// A small cluster as objects that change at random, and the files that they stand in.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/server/system/temporary_folder.h"

namespace trellis::test {

class RandomObjects {
 public:
  explicit RandomObjects(uint64_t seed);

  // Adds, changes or removes a few objects.
  void step();
  // Writes the files that changed.
  void write(TemporaryFolder& folder);

 private:
  struct Entry {
    std::string file;
    std::string json;  // one line
  };
  int below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool one_in(int bound) { return below(bound) == 0; }
  void set(const std::string& key, std::string json);
  void add_node(int number);
  void add_gang(int number);
  void add_lone_pod(int number);
  void add_expanded(int number);
  void change_gang(int number);
  void remove_gang(int number);
  std::string pod_json(const std::string& name, const std::string& gang, const std::string& shape,
                       const std::string& status) const;

  std::mt19937_64 random_;
  std::map<std::string, Entry> objects_;        // by kind and name
  std::map<std::string, std::string> written_;  // text by file
  std::map<int, int> gang_sizes_;
  std::map<int, std::string> gang_shapes_;
};

}  // namespace trellis::test
