// A network as a description of it says: trees of switches, with nodes at some of them.
//
// A FabricBuilder takes the statements of one description in any order and reports what does not
// fit together, with the place of the statement. Cost: O(statements).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"

namespace trellis {

inline constexpr int32_t kNoSwitch = -1;

struct FabricSwitch {
  std::string name;
  int32_t parent = kNoSwitch;
  std::map<std::string, std::string> labels;  // which its nodes bear, too
};

struct FabricNode {
  std::string name;
  int32_t at = kNoSwitch;       // the switch that it hangs on
  std::string accelerator;      // its domain of faster links, such as NVLink; empty: none
  std::string sub_accelerator;  // a part of that domain; empty: none
};

struct Fabric {
  std::string name;  // empty: the description gives none
  std::vector<FabricSwitch> switches;
  std::vector<FabricNode> nodes;
};

// Where a statement stands.
struct FabricPlace {
  int64_t line = 0;
  std::string path = {};
  int64_t document = 0;
};

struct FabricFinding {
  std::string found;
  std::string expected;
  std::string nearest = {};
};

class FabricBuilder {
 public:
  FabricBuilder(std::string_view file, std::vector<Diagnostic>& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  void error(const FabricPlace& at, FabricFinding finding);
  void note(std::string text);

  // The switch is described here; a second description of it is an error.
  int32_t define(const std::string& name, const FabricPlace& at);
  // The switch of this name, which may be described later.
  int32_t mention(const std::string& name, const FabricPlace& at);
  void set_label(int32_t of, const std::string& key, const std::string& value);
  void connect(int32_t parent, int32_t child, const FabricPlace& at);
  // nullptr: the node hangs on another switch already, which is reported.
  FabricNode* attach(const std::string& node, int32_t to, const FabricPlace& at);

  // Reports switches that were mentioned and never described, unless `lone_switches` allows them,
  // circles, and a network without nodes.
  enum class LoneSwitches : uint8_t { Refused, Allowed };
  Fabric finish(std::string name, LoneSwitches lone_switches);

 private:
  struct Seen {
    FabricPlace mentioned;
    FabricPlace defined;  // line 0: not yet
  };

  void check_defined();
  void cut_circles();

  std::string_view file_;
  std::vector<Diagnostic>& diagnostics_;
  Fabric fabric_;
  std::vector<Seen> seen_;             // of each switch
  std::vector<FabricPlace> attached_;  // of each node
  std::unordered_map<std::string, int32_t> switches_;
  std::unordered_map<std::string, int32_t> nodes_;
};

}  // namespace trellis
