#!/usr/bin/env python3
"""Writes cluster.yaml: the hall, what already runs in it, the topology and the priority classes.

    python3 examples/nvl72/generate.py > examples/nvl72/cluster.yaml
"""

BLOCKS = 2
RACKS = 4
NODES = 18

# Slots without a node: delivered late, or sent back.
MISSING = {"b1-r2-n07", "b1-r4-n03", "b1-r4-n11", "b2-r2-n18", "b2-r4-n01", "b2-r4-n02", "b2-r4-n09"}
CORDONED = {"b2-r3-n05"}

HEAD = """\
# A hall of 2 blocks x 4 racks x 18 nodes x 4 GPUs, a few nodes short. Written by generate.py.
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: nvl72}
spec:
  levels:
  - nodeLabel: example.com/block
  - nodeLabel: example.com/rack      # rack names repeat: there is an r1 in each block
  - nodeLabel: kubernetes.io/hostname
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: training}
value: 50
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: interactive}
value: 100
"""

NODE = """\
---
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels:
    example.com/block: {block}
    example.com/rack: {rack}
    kubernetes.io/hostname: {name}
    nvidia.com/gpu.product: NVIDIA-GB200
    nvidia.com/gpu.memory: "189471"
{spec}status:
  allocatable: {{cpu: "144", memory: 960Gi, pods: "110", nvidia.com/gpu: "4"}}
  conditions:
  - {{type: Ready, status: "True"}}
"""

VISION = """\
---
# A training run that holds 16 nodes of rack b1/r1.
apiVersion: batch/v1
kind: Job
metadata:
  namespace: research
  name: vision
  uid: 5d3c7c1e-0000-4000-8000-000000000001
  creationTimestamp: "2026-03-02T06:00:00Z"
  annotations:
    kai.scheduler/topology: nvl72
    kai.scheduler/topology-required-placement: example.com/rack
spec:
  parallelism: 16
  completions: 16
  completionMode: Indexed
  template:
    spec:
      schedulerName: trellis
      priorityClassName: training
      restartPolicy: Never
      containers:
      - name: main
        image: example.com/vision:1
        resources:
          requests: {cpu: "128", memory: 800Gi}
          limits: {nvidia.com/gpu: "4"}
"""

VISION_POD = """\
---
apiVersion: v1
kind: Pod
metadata:
  namespace: research
  name: vision-{index}
  creationTimestamp: "2026-03-02T06:00:00Z"
  labels: {{batch.kubernetes.io/job-name: vision}}
  annotations: {{batch.kubernetes.io/job-completion-index: "{index}"}}
  ownerReferences:
  - apiVersion: batch/v1
    kind: Job
    name: vision
    uid: 5d3c7c1e-0000-4000-8000-000000000001
    controller: true
spec:
  schedulerName: trellis
  priorityClassName: training
  priority: 50
  nodeName: {node}
  containers:
  - name: main
    image: example.com/vision:1
    resources:
      requests: {{cpu: "128", memory: 800Gi}}
      limits: {{nvidia.com/gpu: "4"}}
status: {{phase: Running, startTime: "2026-03-02T06:00:10Z"}}
"""

CHAT_POD = """\
---
apiVersion: v1
kind: Pod
metadata:
  namespace: serving
  name: chat-{index}
  creationTimestamp: "2026-03-01T12:00:00Z"
{leaving}spec:
  schedulerName: trellis
  priorityClassName: interactive
  priority: 100
  nodeName: {node}
  containers:
  - name: main
    image: example.com/chat:1
    resources:
      requests: {{cpu: "32", memory: 200Gi}}
      limits: {{nvidia.com/gpu: "2"}}
status: {{phase: Running, startTime: "2026-03-01T12:00:05Z"}}
"""


def names(block, rack):
    slots = (f"b{block}-r{rack}-n{slot:02}" for slot in range(1, NODES + 1))
    return [name for name in slots if name not in MISSING]


def main():
    print(HEAD, end="")
    for block in range(1, BLOCKS + 1):
        for rack in range(1, RACKS + 1):
            for name in names(block, rack):
                spec = "spec: {unschedulable: true}\n" if name in CORDONED else ""
                print(NODE.format(name=name, block=f"b{block}", rack=f"r{rack}", spec=spec), end="")

    print(VISION, end="")
    for index, node in enumerate(names(1, 1)[:16]):
        print(VISION_POD.format(index=index, node=node), end="")
    for index, node in enumerate(names(2, 1)[:8]):
        # The last one is on its way out: its two GPUs are being released.
        leaving = '  deletionTimestamp: "2026-03-02T08:59:50Z"\n' if index == 7 else ""
        print(CHAT_POD.format(index=index, node=node, leaving=leaving), end="")


if __name__ == "__main__":
    main()
