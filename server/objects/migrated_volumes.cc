#include "server/objects/migrated_volumes.h"

#include <algorithm>
#include <array>

namespace trellis {
namespace {

struct Replaced {
  std::string_view provisioner;
  std::string_view member;  // of the spec
  std::string_view handle;  // of the member
  std::string_view driver;
};

constexpr std::array<Replaced, 7> kReplaced = {
    {{"kubernetes.io/aws-ebs", "awsElasticBlockStore", "volumeID", "ebs.csi.aws.com"},
     {"kubernetes.io/gce-pd", "gcePersistentDisk", "pdName", "pd.csi.storage.gke.io"},
     {"kubernetes.io/azure-disk", "azureDisk", "diskURI", "disk.csi.azure.com"},
     {"kubernetes.io/azure-file", "azureFile", "shareName", "file.csi.azure.com"},
     {"kubernetes.io/cinder", "cinder", "volumeID", "cinder.csi.openstack.org"},
     {"kubernetes.io/vsphere-volume", "vsphereVolume", "volumePath", "csi.vsphere.vmware.com"},
     {"kubernetes.io/portworx-volume", "portworxVolume", "volumeID", "pxd.portworx.com"}}};

}  // namespace

std::string_view replaced_by(std::string_view provisioner) {
  auto found = std::ranges::find(kReplaced, provisioner, &Replaced::provisioner);
  return found == kReplaced.end() ? provisioner : found->driver;
}

std::optional<VolumeHandle> decode_migrated_volume(Value source, FieldReader& fields) {
  for (const Replaced& replaced : kReplaced) {
    Value volume = source[replaced.member];
    if (!volume.is(ValueKind::Object)) continue;
    return VolumeHandle{fields.intern(replaced.driver),
                        fields.intern(volume[replaced.handle].text())};
  }
  return std::nullopt;
}

}  // namespace trellis
