#!/usr/bin/env python3
"""Writes cluster.yaml: two datacenters of four rows of twenty racks, four nodes a rack."""

import pathlib

NODE = """apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{example.com/dc: {dc}, example.com/row: {row}, example.com/rack: {rack}}}}}
status: {{allocatable: {{cpu: "32", memory: 128Gi, pods: "110"}}}}
"""


def main():
    nodes = []
    for dc in ("east", "west"):
        for row in range(1, 5):
            for rack in range(1, 21):
                for node in range(1, 5):
                    name = f"{dc}-{row}-{rack:02}-{node}"
                    nodes.append(NODE.format(name=name, dc=dc, row=f"row{row}", rack=f"rack{rack:02}"))
    pathlib.Path(__file__).with_name("cluster.yaml").write_text("---\n".join(nodes))


if __name__ == "__main__":
    main()
