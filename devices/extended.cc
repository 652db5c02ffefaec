#include "devices/extended.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace trellis::devices {
namespace {

constexpr std::string_view kImplicit = "deviceclass.resource.kubernetes.io/";
constexpr std::string_view kClaimName = "<extended-resources>";

// Does `a` stand for the resource rather than `b`?
bool is_better(const Class& a, const Class& b) {
  return a.created != b.created ? a.created > b.created : a.name < b.name;
}

// A resource with a domain that is not Kubernetes' own.
bool is_extended(std::string_view resource) {
  size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view domain = resource.substr(0, slash);
  bool own = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
  return !own || resource.starts_with(kImplicit);
}

class ClaimMaker {
 public:
  ClaimMaker(const ExtendedPod& pod, ExtendedClaim& made) : pod_(pod), made_(made) {}

  void add(const std::string& resource, const std::string& device_class) {
    resource_ = resource;
    class_ = device_class;
    long_lived_.clear();
    size_t inits = pod_.init_containers.size();
    for (size_t i = 0; i < inits; ++i) {
      if (pod_.init_containers[i].sidecar) add_long_lived(pod_.init_containers[i], i);
    }
    for (size_t i = 0; i < pod_.containers.size(); ++i) {
      add_long_lived(pod_.containers[i], inits + i);
    }
    add_inits();
  }

 private:
  struct Served {
    size_t number;
    int64_t count;
    std::string request;
  };

  int64_t amount_of(const ContainerRequests& container) const {
    auto found = container.amounts.find(resource_);
    return found == container.amounts.end() ? 0 : found->second;
  }

  std::string request_name(const ContainerRequests& container, size_t number) const {
    auto found = container.amounts.find(resource_);
    auto place = std::distance(container.amounts.begin(), found);
    return "container-" + std::to_string(number) + "-request-" + std::to_string(place);
  }

  void request(std::string name, int64_t count) {
    Request request;
    request.name = std::move(name);
    Alternative& alternative = request.alternatives.emplace_back();
    alternative.device_class = class_;
    alternative.count = count;
    made_.claim.requests.push_back(std::move(request));
  }

  void map(const ContainerRequests& container, const std::string& request) {
    made_.mappings.push_back({container.name, resource_, request});
  }

  void add_long_lived(const ContainerRequests& container, size_t number) {
    int64_t count = amount_of(container);
    if (count <= 0) return;
    std::string name = request_name(container, number);
    request(name, count);
    map(container, name);
    long_lived_.push_back({number, count, std::move(name)});
  }

  // Init containers that end use what comes after them, and more of their own where it is not
  // enough; as they run one after the other, the largest of these requests serves them all.
  void add_inits() {
    struct Rest {
      size_t number;
      int64_t count;
    };
    std::vector<Rest> rests;
    for (size_t i = 0; i < pod_.init_containers.size(); ++i) {
      const ContainerRequests& container = pod_.init_containers[i];
      int64_t left = container.sidecar ? 0 : amount_of(container);
      for (const Served& served : long_lived_) {
        if (left <= 0) break;
        if (served.number < i) continue;
        map(container, served.request);
        left -= served.count;
      }
      if (left > 0) rests.push_back({i, left});
    }
    if (rests.empty()) return;
    auto largest = std::max_element(rests.begin(), rests.end(),
                                    [](const Rest& a, const Rest& b) { return a.count < b.count; });
    std::string name = request_name(pod_.init_containers[largest->number], largest->number);
    request(name, largest->count);
    for (const Rest& rest : rests) map(pod_.init_containers[rest.number], name);
  }

  const ExtendedPod& pod_;
  ExtendedClaim& made_;
  std::string resource_;
  std::string class_;
  std::vector<Served> long_lived_;
};

template <class Visit>
void each_container(const ExtendedPod& pod, Visit visit) {
  for (const ContainerRequests& container : pod.init_containers) visit(container);
  for (const ContainerRequests& container : pod.containers) visit(container);
}

}  // namespace

std::map<std::string, std::string, std::less<>> classes_by_resource(
    const std::vector<Class>& classes) {
  std::map<std::string, std::string, std::less<>> made;
  std::map<std::string_view, const Class*> holder;
  for (const Class& device_class : classes) {
    if (!device_class.extended_resource.empty()) {
      const Class*& best = holder[device_class.extended_resource];
      if (best != nullptr && is_better(*best, device_class)) continue;
      best = &device_class;
      made[device_class.extended_resource] = device_class.name;
    }
    made[std::string(kImplicit) + device_class.name] = device_class.name;
  }
  return made;
}

std::map<std::string, std::string, std::less<>> classes_by_age(std::vector<Class> classes) {
  std::ranges::sort(classes, {}, [](const Class& one) {
    return std::pair(std::string_view(one.created), std::string_view(one.name));
  });
  return classes_by_resource(classes);
}

std::map<std::string, std::string> classes_of(
    const ExtendedPod& pod, const std::map<std::string, std::string, std::less<>>& classes) {
  std::map<std::string, std::string> made;
  each_container(pod, [&](const ContainerRequests& container) {
    for (const auto& [resource, amount] : container.amounts) {
      auto found = classes.find(resource);
      if (found != classes.end()) made.insert(*found);
    }
  });
  return made;
}

ExtendedClaim extended_claim(const ExtendedPod& pod,
                             const std::map<std::string, int64_t>& allocatable,
                             const std::map<std::string, std::string, std::less<>>& classes) {
  ExtendedClaim made;
  made.claim.name_space = pod.name_space;
  made.claim.name = kClaimName;
  if (classes_of(pod, classes).empty()) return made;
  std::set<std::string> resources;
  each_container(pod, [&](const ContainerRequests& container) {
    for (const auto& [resource, amount] : container.amounts) {
      if (amount > 0 && is_extended(resource)) resources.insert(resource);
    }
  });
  ClaimMaker maker(pod, made);
  for (const std::string& resource : resources) {
    auto own = allocatable.find(resource);
    if (own != allocatable.end() && own->second > 0) continue;
    auto device_class = classes.find(resource);
    if (device_class == classes.end()) {
      made.refused = true;
      return made;
    }
    maker.add(resource, device_class->second);
  }
  std::sort(made.claim.requests.begin(), made.claim.requests.end(),
            [](const Request& a, const Request& b) { return a.name < b.name; });
  return made;
}

}  // namespace trellis::devices
