// A slow model of room over time: nodes with GPUs, and what takes them when.
//
// Everything is tried: each moment at which room changes, and each domain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/time.h"

namespace trellis::oracle {

inline constexpr TimeUs kModelNever = INT64_MAX;

// GPUs of a node that are taken for a part of time.
struct TakenRoom {
  std::string node;
  int64_t gpus = 0;
  TimeUs from = 0;
  TimeUs until = kModelNever;
};

struct TimedNode {
  std::string name;
  std::string rack;
  int64_t gpus = 0;
};

struct ModelGang {
  std::string name;
  int64_t pods = 1;
  int64_t gpus = 1;               // of each pod
  bool one_rack = false;          // its pods share a rack
  TimeUs run_time = kModelNever;  // kModelNever: not known
};

class RoomModel {
 public:
  std::vector<TimedNode> nodes;
  std::vector<TakenRoom> taken;

  // The least number of GPUs that are free on the node at some time in [from, until).
  int64_t least_free(const TimedNode& node, TimeUs from, TimeUs until) const;
  // Whether the gang has room from then on until it ends.
  bool has_room(const ModelGang& gang, TimeUs from) const;
  // The first time after `now` at which it has; kModelNever: there is none.
  TimeUs earliest(const ModelGang& gang, TimeUs now) const;

 private:
  std::vector<TimeUs> changes() const;
};

}  // namespace trellis::oracle
