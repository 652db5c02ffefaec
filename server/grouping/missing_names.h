// Names of Queues and PodGroups that gangs wait for and that the input does not hold.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "framework/vocabulary.h"
#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Such a gang waits, which is no error; but a typo is worth one warning a name.
class MissingNames {
 public:
  void add_queue(const std::string& name, SourcePos pos) { queues_.try_emplace(name, pos); }
  // `field`: the field of the pod at `pos` that names the group.
  void add_group(std::string_view name_space, const std::string& name, SourcePos pos,
                 std::string field);

  // At most 20 warnings of a kind: a part of a dump may lack every queue. O(names * PodGroups).
  void warn(const Records& records, const StringTable& strings, Report& report) const;

 private:
  struct Group {
    SourcePos pos;
    std::string field;
  };
  std::map<std::string, SourcePos> queues_;
  std::map<std::string, Group> groups_;  // "namespace/name"
};

}  // namespace trellis
