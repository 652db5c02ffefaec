// Adds pods that controllers would make to the records: of all owners together at most so many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/object_key.h"
#include "server/objects/raw_object.h"
#include "server/objects/records.h"

namespace trellis {

// Replaces or adds a label.
void set_label(Labels& labels, Label label);

class PodFactory {
 public:
  // `max_pods` none: no pods are made. `raw` null: no text is made.
  PodFactory(Records& records, std::optional<int64_t> max_pods, FieldReader& fields,
             std::vector<RawObject>* raw)
      : records_(records),
        max_pods_(max_pods),
        left_(max_pods.value_or(0)),
        fields_(fields),
        raw_(raw) {}

  bool makes_pods() const { return max_pods_.has_value(); }

  // False: they are too many, which is reported. `of`: the kind of their owner.
  bool reserve(int64_t pods, const Place& at, std::string_view of);

  // The template's pod under its owner, without a name.
  PodRecord begin(const OwnerRecord& owner, const PodTemplateRecord& of);
  // False: a pod has this name already.
  bool take_name(PodRecord& record, const std::string& name);
  // `annotation`: key and value of one that the pod gets unless its template has the key; or empty.
  void add(const OwnerRecord& owner, std::string_view api_version, const PodTemplateRecord& of,
           PodRecord record, std::pair<std::string_view, std::string> annotation = {});

 private:
  std::string_view view(StrId id) const { return fields_.vocabulary().strings.view(id); }
  Labels by_key(Labels labels) const;
  RawObject raw_pod(const OwnerRecord& owner, std::string_view api_version,
                    const PodTemplateRecord& of, const Pod& pod,
                    const std::pair<std::string_view, std::string>& annotation) const;

  Records& records_;
  std::optional<int64_t> max_pods_;
  int64_t left_;
  FieldReader& fields_;
  std::vector<RawObject>* raw_;
  bool names_known_ = false;
  ObjectSet names_;  // of all pods
};

}  // namespace trellis
