// Quotas of cohort trees straight from the text: maps by name, recursion, nothing kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class QuotaModel {
 public:
  struct Limits {
    int64_t nominal = 0;
    std::optional<int64_t> borrowing;
    std::optional<int64_t> lending;
  };
  struct Node {
    std::string parent;  // "": none
    bool is_queue = false;
    double weight = 1;
    std::map<std::string, Limits> quotas;  // by cell, "resource/flavor"
    std::map<std::string, int64_t> held;   // by cell; of queues
  };
  struct Covering {
    int height = 0;
    bool below_root = false;
  };

  std::map<std::string, Node> nodes;

  // Whether the way up ends.
  bool in_tree(const std::string& name) const;
  int64_t subtree_quota(const std::string& name, const std::string& cell) const;
  int64_t local_quota(const std::string& name, const std::string& cell) const;
  int64_t usage(const std::string& name, const std::string& cell) const;
  int64_t available(const std::string& name, const std::string& cell) const;
  int64_t potential(const std::string& name, const std::string& cell) const;
  int height(const std::string& name) const;
  Covering covering(const std::string& name, const std::string& cell, int64_t amount) const;
  bool borrows(const std::string& name) const;
  // Before the weight.
  double ratio(const std::string& name) const;
  // Infinite: it borrows and weighs nothing.
  double share(const std::string& name) const;

 private:
  Limits limits(const std::string& name, const std::string& cell) const;
  std::vector<std::string> children(const std::string& name) const;
  std::set<std::string> cells() const;
  int64_t free_local(const std::string& name, const std::string& cell) const;
};

}  // namespace trellis
