#!/usr/bin/env python3
"""Writes the examples of this folder: gpus-and-nics.yaml, gb200-rack.yaml, mig.yaml.

    python3 generate.py
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
GROUP = "resource.k8s.io/v1"


def node(name, labels=""):
    return f"""apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}{labels}}}}}
status: {{allocatable: {{cpu: "96", memory: 1Ti, pods: "110"}}}}
"""


def device_class(name, expression, resource=""):
    more = f"\n  extendedResourceName: {resource}" if resource else ""
    return f"""apiVersion: {GROUP}
kind: DeviceClass
metadata: {{name: {name}}}
spec:{more}
  selectors: [{{cel: {{expression: '{expression}'}}}}]
"""


def resource_slice(name, driver, of_node, content, slices=1):
    return f"""apiVersion: {GROUP}
kind: ResourceSlice
metadata: {{name: {name}}}
spec:
  driver: {driver}
  nodeName: {of_node}
  pool: {{name: {of_node}, generation: 1, resourceSliceCount: {slices}}}
{content}"""


def template(name, devices):
    return f"""apiVersion: {GROUP}
kind: ResourceClaimTemplate
metadata: {{name: {name}}}
spec:
  spec:
    devices:
{devices}"""


def gang(name, pods, claims):
    entries = ", ".join(f"{{name: {entry}, resourceClaimTemplateName: {of}}}" for entry, of in claims)
    text = f"""apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {{name: {name}}}
spec: {{minMember: {pods}}}
"""
    for number in range(pods):
        text += f"""---
apiVersion: v1
kind: Pod
metadata: {{name: {name}-{number}, annotations: {{pod-group-name: {name}}}}}
spec:
  resourceClaims: [{entries}]
  containers: [{{name: main, resources: {{requests: {{cpu: "8", memory: 64Gi}}}}}}]
"""
    return text


def write(name, head, documents):
    text = "".join(f"# {line}\n" for line in head) + "---\n".join(documents)
    (HERE / name).write_text(text, encoding="utf-8")


def gpus_and_nics():
    documents = [
        device_class("gpu.nvidia.com", 'device.driver == "gpu.nvidia.com"', "nvidia.com/gpu"),
        device_class("rdma-nic", 'device.driver == "nic.example.com" && '
                                 'device.attributes["nic.example.com"].rdma'),
    ]
    for number in range(2):
        name = f"h100-{number}"
        documents.append(node(name))
        gpus = "  devices:\n" + "".join(
            f"  - name: gpu-{i}\n    attributes:\n      type: {{string: gpu}}\n"
            f"      productName: {{string: NVIDIA H100 80GB HBM3}}\n"
            f'      resource.kubernetes.io/pcieRoot: {{string: "pci0000:{i}"}}\n'
            f"    capacity: {{memory: {{value: 81559Mi}}}}\n" for i in range(8))
        nics = "  devices:\n" + "".join(
            f"  - name: mlx5-{i}\n    attributes:\n      rdma: {{bool: {str(i < 6).lower()}}}\n"
            f'      resource.kubernetes.io/pcieRoot: {{string: "pci0000:{i}"}}\n' for i in range(8))
        documents.append(resource_slice(f"{name}-gpu", "gpu.nvidia.com", name, gpus))
        documents.append(resource_slice(f"{name}-nic", "nic.example.com", name, nics))
    documents.append(template("gpu-with-nic", """      requests:
      - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}
      - {name: nic, exactly: {deviceClassName: rdma-nic}}
      constraints:
      - {matchAttribute: resource.kubernetes.io/pcieRoot}
"""))
    documents.append(template("gpus", """      requests:
      - {name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}
"""))
    documents.append(gang("ring", 10, [("ring", "gpu-with-nic")]))
    documents.append(gang("batch", 3, [("gpus", "gpus")]))
    write("gpus-and-nics.yaml", ["Two nodes with eight GPUs each; six of the NICs of a node do RDMA."],
          documents)


def gb200_rack():
    documents = [
        device_class("gpu.nvidia.com", 'device.driver == "gpu.nvidia.com"', "nvidia.com/gpu"),
        device_class("compute-domain-default-channel.nvidia.com",
                     'device.driver == "compute-domain.nvidia.com" && '
                     'device.attributes["compute-domain.nvidia.com"].type == "channel"'),
    ]
    for rack in range(2):
        for tray in range(4):
            name = f"gb200-r{rack}-t{tray}"
            documents.append(node(name, f", nvidia.com/gpu.clique: rack-{rack}.1"))
            gpus = "  devices:\n" + "".join(
                f"  - {{name: gpu-{i}, attributes: {{type: {{string: gpu}}}}}}\n" for i in range(4))
            channel = "  devices:\n  - {name: channel-0, attributes: {type: {string: channel}, id: {int: 0}}}\n"
            documents.append(resource_slice(f"{name}-gpu", "gpu.nvidia.com", name, gpus))
            documents.append(resource_slice(f"{name}-domain", "compute-domain.nvidia.com", name, channel))
    documents.append(template("four-gpus", """      requests:
      - {name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}
"""))
    for uid in ("8f0c", "c2d7", "e511"):
        documents.append(template(f"domain-{uid}", f"""      requests:
      - {{name: channel, exactly: {{deviceClassName: compute-domain-default-channel.nvidia.com}}}}
      config:
      - requests: [channel]
        opaque:
          driver: compute-domain.nvidia.com
          parameters: {{apiVersion: resource.nvidia.com/v1beta1, kind: ComputeDomainChannelConfig, domainID: {uid}, allocationMode: Single}}
"""))
    for name, pods, uid in (("three", 3, "8f0c"), ("four", 4, "c2d7"), ("two", 2, "e511")):
        documents.append(gang(name, pods, [("gpus", "four-gpus"), ("channel", f"domain-{uid}")]))
    write("gb200-rack.yaml", ["Two racks of four trays with four GPUs each; a rack is one NVLink clique.",
                              "The pods of each gang join a ComputeDomain."], documents)


def mig():
    documents = [
        device_class("mig.nvidia.com", 'device.driver == "gpu.nvidia.com" && '
                                       'device.attributes["gpu.nvidia.com"].type == "mig"'),
        device_class("gpu.nvidia.com", 'device.driver == "gpu.nvidia.com" && '
                                       'device.attributes["gpu.nvidia.com"].type == "gpu"',
                     "nvidia.com/gpu"),
        node("mig-0"),
    ]
    counters = "  sharedCounters:\n" + "".join(
        f"  - name: gpu-{i}-counter-set\n    counters: {{" + ", ".join(
            f'memory-slice-{part}: {{value: "1"}}' for part in range(4)) + "}\n" for i in range(2))
    documents.append(resource_slice("mig-0-counters", "gpu.nvidia.com", "mig-0", counters, 3))
    for i in range(2):
        def consumes(parts, i=i):
            return (f"    consumesCounters:\n    - counterSet: gpu-{i}-counter-set\n      counters: {{"
                    + ", ".join(f'memory-slice-{part}: {{value: "1"}}' for part in parts) + "}\n")

        text = "  devices:\n"
        text += f"  - name: gpu-{i}\n    attributes: {{type: {{string: gpu}}}}\n" + consumes(range(4))
        for size, profile in ((1, "1g.20gb"), (2, "2g.40gb")):
            for start in range(0, 4, size):
                text += (f"  - name: gpu-{i}-mig-{profile.replace('.', '')}-{start}\n"
                         f"    attributes: {{type: {{string: mig}}, profile: {{string: {profile}}}}}\n"
                         + consumes(range(start, start + size)))
        documents.append(resource_slice(f"mig-0-gpu-{i}", "gpu.nvidia.com", "mig-0", text, 3))

    def part(profile):
        return ("      requests:\n      - name: part\n        exactly:\n"
                "          deviceClassName: mig.nvidia.com\n          selectors:\n"
                "          - cel: {expression: 'device.attributes[\"gpu.nvidia.com\"].profile == "
                f"\"{profile}\"'}}\n")

    documents.append(template("small", part("1g.20gb")))
    documents.append(template("half", part("2g.40gb")))
    documents.append(template("whole", "      requests:\n"
                                       "      - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}\n"))
    documents.append(gang("server", 2, [("part", "small")]))
    documents.append(gang("tuner", 1, [("part", "half")]))
    documents.append(gang("trainer", 1, [("gpu", "whole")]))
    documents.append(gang("wide", 2, [("gpu", "whole")]))
    write("mig.yaml", ["One node with two GPUs, whole or in parts: 1/4 and 1/2 of the memory.",
                       "A part excludes the whole GPU and the parts with which it overlaps."], documents)


def main():
    gpus_and_nics()
    gb200_rack()
    mig()


if __name__ == "__main__":
    main()
