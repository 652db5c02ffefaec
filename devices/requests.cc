#include "devices/requests.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {
namespace {

class Preparation {
 public:
  Preparation(const Claim& claim, const Inventory& inventory) : inventory_(inventory) {
    prepared_.claim = &claim;
  }

  PreparedClaim run() {
    for (const Request& request : prepared_.claim->requests) {
      PreparedRequest& made = prepared_.requests.emplace_back();
      made.request = &request;
      for (const Alternative& alternative : request.alternatives) {
        made.alternatives.push_back(prepare_alternative(request, alternative));
        if (!prepared_.error.empty()) return std::move(prepared_);
      }
    }
    check_constraints();
    return std::move(prepared_);
  }

 private:
  PreparedAlternative prepare_alternative(const Request& request, const Alternative& alternative) {
    PreparedAlternative made;
    made.alternative = &alternative;
    made.name = alternative.name.empty() ? request.name : request.name + "/" + alternative.name;
    place_ = prepared_.label() + (alternative.name.empty() ? ", request " + request.name
                                                           : ", subrequest " + alternative.name);
    find_class(made);
    if (!prepared_.error.empty()) return made;
    compile(made.device_class->selectors, made);
    made.class_selectors = made.selectors.size();
    compile(alternative.selectors, made);
    if (alternative.mode == Mode::Unknown) fail(": unsupported count mode");
    made.all = alternative.mode == Mode::All;
    made.count = made.all ? 0 : alternative.count;
    const std::vector<Constraint>& constraints = prepared_.claim->constraints;
    for (uint32_t i = 0; i < constraints.size(); ++i) {
      if (covers(constraints[i].requests, request.name, made.name)) made.constraints.push_back(i);
    }
    return made;
  }

  static bool covers(const std::vector<std::string>& names, const std::string& request,
                     const std::string& full) {
    auto has = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return names.empty() || has(request) || has(full);
  }

  void fail(const std::string& why) {
    if (prepared_.error.empty()) prepared_.error = place_ + why;
  }

  void find_class(PreparedAlternative& made) {
    const Alternative& alternative = *made.alternative;
    if (alternative.derives_attributes) {
      fail(": has derived attributes, but the DRADerivedAttributes feature is disabled");
    }
    if (alternative.device_class.empty()) {
      return fail(": missing device class name (unsupported request type?)");
    }
    made.device_class = inventory_.find_class(alternative.device_class);
    if (made.device_class == nullptr) {
      fail(": could not retrieve device class " + alternative.device_class + ": not found");
    }
  }

  void compile(const Selectors& selectors, PreparedAlternative& made) {
    for (size_t i = 0; i < selectors.size(); ++i) {
      if (selectors[i].empty()) {
        return fail(", selector #" + std::to_string(i) +
                    ": CEL expression empty (unsupported selector type?)");
      }
      made.selectors.push_back(inventory_.selector(selectors[i]));
    }
  }

  void check_constraints() {
    const std::vector<Constraint>& constraints = prepared_.claim->constraints;
    for (size_t i = 0; i < constraints.size(); ++i) {
      if (!constraints[i].match_attribute.empty()) continue;
      if (!constraints[i].distinct_attribute.empty()) continue;
      place_ = prepared_.label();
      fail(", constraint #" + std::to_string(i) +
           ": empty constraint (unsupported constraint type?)");
    }
  }

  const Inventory& inventory_;
  std::string place_;
  PreparedClaim prepared_;
};

}  // namespace

PreparedClaim prepare(const Claim& claim, const Inventory& inventory) {
  return Preparation(claim, inventory).run();
}

}  // namespace trellis::devices
