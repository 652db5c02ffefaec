// Volumes, their claims, and the objects that decide where volumes can be made.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/migrated_volumes.h"

namespace trellis {
namespace {

constexpr std::string_view kOldClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kNodeOfClaim = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindingDone = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr std::string_view kZoneSeparator = "__";

constexpr std::array<std::string_view, 2> kBindingModes = {"Immediate", "WaitForFirstConsumer"};
constexpr std::array<std::string_view, 2> kVolumeModes = {"Filesystem", "Block"};
constexpr std::array<std::string_view, 4> kAccessModes = {"ReadWriteOnce", "ReadOnlyMany",
                                                          "ReadWriteMany", kOnePodMode};

// The members that claims and volumes have alike, but their size.
VolumeNeed decode_need(Value metadata, Value spec, FieldReader& fields) {
  VolumeNeed need;
  Value old = metadata["annotations"][kOldClass];
  need.storage_class =
      fields.intern(old.absent() ? fields.string(spec, "storageClassName") : old.text());
  need.attributes_class = fields.intern(fields.string(spec, "volumeAttributesClassName"));
  for (Value mode : fields.list(spec, "accessModes").items()) {
    auto known = std::ranges::find(kAccessModes, mode.text());
    if (known == kAccessModes.end()) continue;
    need.modes |= static_cast<AccessModes>(1U << (known - kAccessModes.begin()));
  }
  need.block = fields.word(spec, "volumeMode", kVolumeModes) == "Block";
  return need;
}

int64_t decode_storage(Value value, FieldReader& fields) {
  return fields.amount(value["storage"], kMemory, AmountOf::Many);
}

std::string_view controller_uid(Value metadata) {
  for (Value owner : metadata["ownerReferences"].items()) {
    if (owner["controller"].boolean()) return owner["uid"].text();
  }
  return "";
}

// The values of a label of a volume that names its zones or regions.
Requirement zone_requirement(std::string_view key, std::string_view values, FieldReader& fields) {
  Requirement zones{fields.intern(key), SelectorOp::In, {}};
  while (true) {
    size_t end = values.find(kZoneSeparator);
    zones.values.push_back(fields.intern(values.substr(0, end)));
    if (end == std::string_view::npos) break;
    values.remove_prefix(end + kZoneSeparator.size());
  }
  return zones;
}

// Alternatives; allowedTopologies has its own names for the parts of a term.
std::vector<SelectorTerm> decode_allowed_topologies(Value object, FieldReader& fields) {
  std::vector<SelectorTerm> terms;
  for (Value term : fields.list(object, "allowedTopologies").items()) {
    SelectorTerm made;
    for (Value expression : fields.list(term, "matchLabelExpressions").items()) {
      Requirement requirement{fields.intern(fields.string(expression, "key")), SelectorOp::In, {}};
      for (Value value : fields.list(expression, "values").items()) {
        requirement.values.push_back(fields.intern(value.text()));
      }
      made.labels.push_back(std::move(requirement));
    }
    terms.push_back(std::move(made));
  }
  return terms;
}

VolumeNeed decode_need_of_claim(Value metadata, Value spec, FieldReader& fields) {
  VolumeNeed need = decode_need(metadata, spec, fields);
  need.bytes = decode_storage(spec["resources"]["requests"], fields);
  need.selector = decode_label_selector(fields.object(spec, "selector"), fields);
  return need;
}

}  // namespace

VolumeNeed decode_claim_need(Value claim_template, FieldReader& fields) {
  return decode_need_of_claim(claim_template["metadata"], fields.object(claim_template, "spec"),
                              fields);
}

ClaimRecord decode_claim(NamedObject named, FieldReader& fields) {
  ClaimRecord record{.meta = std::move(named.meta)};
  Value metadata = named.object["metadata"];
  Value annotations = metadata["annotations"];
  Value spec = fields.object(named.object, "spec");
  record.volume = reference(fields, KeyKind::Volume, fields.string(spec, "volumeName"));
  record.bound = record.volume.valid() && !annotations[kBindingDone].absent();
  record.lost = named.object["status"]["phase"].text() == "Lost";
  record.leaving = !metadata["deletionTimestamp"].absent();
  record.need = decode_need_of_claim(metadata, spec, fields);
  record.node = fields.intern_if(annotations[kNodeOfClaim].text());
  record.pod = controller_uid(metadata);
  return record;
}

VolumeRecord decode_volume(NamedObject named, FieldReader& fields) {
  VolumeRecord record{.meta = std::move(named.meta)};
  Value metadata = named.object["metadata"];
  Value spec = fields.object(named.object, "spec");
  Volume& volume = record.volume;
  volume.name = named.name;
  volume.is = decode_need(metadata, spec, fields);
  volume.is.bytes = decode_storage(spec["capacity"], fields);
  volume.labels = fields.labels(metadata, "labels");
  Value required = fields.object(fields.object(spec, "nodeAffinity"), "required");
  if (!required.absent()) {
    volume.nodes.emplace();
    if (required["nodeSelectorTerms"].absent()) {
      fields.missing(required, "nodeSelectorTerms", "a list of terms");
    }
    for (Value term : fields.list(required, "nodeSelectorTerms").items()) {
      volume.nodes->push_back(decode_selector_term(term, fields));
    }
  }
  Value claim = fields.object(spec, "claimRef");
  record.leaves = !metadata["deletionTimestamp"].absent();
  if (claim.absent()) {
    record.available = named.object["status"]["phase"].text() == "Available";
  } else {
    std::string_view name_space = claim["namespace"].text();
    std::string_view name = claim["name"].text();
    if (fields.dependencies() != nullptr) fields.dependencies()->serve_claim(name_space, name);
    volume.claim = fields.intern(std::string(name_space) + "/" + std::string(name));
    record.claim_uid = claim["uid"].text();
  }
  Value csi = fields.object(spec, "csi");
  if (!csi.absent()) {
    record.handle = VolumeHandle{fields.intern(fields.string(csi, "driver")),
                                 fields.intern(fields.string(csi, "volumeHandle"))};
  }
  if (csi.absent()) record.handle = decode_migrated_volume(spec, fields);
  for (std::string_view key : kZoneLabels) {
    std::string_view values = metadata["labels"][key].text();
    if (!values.empty()) record.zones.push_back(zone_requirement(key, values, fields));
  }
  return record;
}

StorageClassRecord decode_storage_class(NamedObject named, FieldReader& fields) {
  StorageClassRecord record{.meta = std::move(named.meta)};
  std::string_view driver = fields.string(named.object, "provisioner");
  record.driver = fields.intern(driver);
  record.makes_volumes = !driver.empty() && driver != kNoProvisioner;
  record.waits = fields.word(named.object, "volumeBindingMode", kBindingModes) == kBindingModes[1];
  record.nodes = decode_allowed_topologies(named.object, fields);
  return record;
}

VolumeDriverRecord decode_volume_driver(NamedObject named, FieldReader& fields) {
  VolumeDriverRecord record{.meta = std::move(named.meta)};
  Value spec = fields.object(named.object, "spec");
  record.by_pool = fields.boolean(spec, "storageCapacity");
  record.required = fields.boolean(spec, "preventPodSchedulingIfMissing");
  return record;
}

NodeDriversRecord decode_node_drivers(NamedObject named, FieldReader& fields) {
  NodeDriversRecord record{.meta = std::move(named.meta)};
  Value spec = fields.object(named.object, "spec");
  for (Value driver : fields.list(spec, "drivers").items()) {
    NodeDriver made{fields.intern(fields.string(driver, "name")), std::nullopt};
    made.limit = fields.integer(fields.object(driver, "allocatable"), "count", 0, INT32_MAX);
    record.drivers.push_back(made);
  }
  return record;
}

StoragePoolRecord decode_storage_pool(NamedObject named, FieldReader& fields) {
  StoragePoolRecord record{.meta = std::move(named.meta)};
  StoragePool& pool = record.pool;
  pool.name_space = record.meta.key.name_space;
  pool.name = named.name;
  pool.storage_class = fields.intern(fields.string(named.object, "storageClassName"));
  Value nodes = fields.object(named.object, "nodeTopology");
  record.serves_nodes = !nodes.absent();
  pool.nodes = decode_label_selector(nodes, fields);
  auto amount = [&](std::string_view key) -> std::optional<int64_t> {
    Value value = named.object[key];
    if (value.absent()) return std::nullopt;
    return fields.amount(value, kMemory, AmountOf::Many);
  };
  pool.bytes = amount("capacity");
  pool.most_bytes = amount("maximumVolumeSize");
  return record;
}

AttachmentRecord decode_attachment(NamedObject named, FieldReader& fields) {
  AttachmentRecord record{.meta = std::move(named.meta)};
  Value spec = fields.object(named.object, "spec");
  Value source = fields.object(spec, "source");
  std::string_view node = fields.string(spec, "nodeName");
  if (fields.dependencies() != nullptr) fields.dependencies()->stand_on(node);
  record.node = fields.intern_if(node);
  record.volume = reference(fields, KeyKind::Volume, fields.string(source, "persistentVolumeName"));
  return record;
}

std::string volume_claim(Value volume, std::string_view pod) {
  bool is_made = volume["ephemeral"].is(ValueKind::Object) && !pod.empty();
  if (is_made) return std::string(pod) + "-" + std::string(volume["name"].text());
  return std::string(volume["persistentVolumeClaim"]["claimName"].text());
}

std::optional<InlineDisk> decode_inline_disk(Value volume, FieldReader& fields) {
  struct DiskKind {
    std::string_view member;
    std::string_view name;
    bool shared;  // where it is read only
  };
  constexpr std::array<DiskKind, 4> kDisks = {{{"gcePersistentDisk", "pdName", true},
                                               {"awsElasticBlockStore", "volumeID", false},
                                               {"iscsi", "iqn", true},
                                               {"rbd", "image", true}}};
  for (const DiskKind& kind : kDisks) {
    Value source = fields.object(volume, kind.member);
    if (source.absent()) continue;
    InlineDisk disk;
    disk.kind = fields.intern(kind.member);
    std::string name(source[kind.name].text());
    if (kind.member == "rbd") {
      std::string_view pool = source["pool"].text();
      name += "@" + std::string(pool.empty() ? "rbd" : pool);
      for (Value monitor : fields.list(source, "monitors").items()) {
        disk.monitors.push_back(fields.intern(monitor.text()));
      }
    }
    disk.name = fields.intern(name);
    disk.shared = kind.shared && fields.boolean(source, "readOnly");
    return disk;
  }
  return std::nullopt;
}

}  // namespace trellis
