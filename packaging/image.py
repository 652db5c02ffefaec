#!/usr/bin/env python3
"""Makes a container image of the program, without a daemon.

    image.py --binary build/release/trellis --output IMAGE.tar

IMAGE.tar is an OCI image layout that `docker load` takes, too. The image holds the program, the
shared libraries that it loads, and their licences: no shell, and no package manager. It runs as an
unprivileged user and writes no file.

The same program and libraries give the same bytes.
"""

import argparse
import gzip
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = "usr/local/bin/trellis"
USER = 65532
CONFIG = {"User": f"{USER}:{USER}", "WorkingDir": "/", "Entrypoint": ["/" + PROGRAM],
          "Cmd": ["help"], "ExposedPorts": {f"{port}/tcp": {} for port in (8080, 8081, 8082)},
          "Labels": {"org.opencontainers.image.title": "trellis",
                     "org.opencontainers.image.licenses": "Apache-2.0"}}
EPOCH = "1970-01-01T00:00:00Z"
OCI = "application/vnd.oci.image"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(binary):
    """The shared libraries by the paths that the loader asks for, and the loader itself."""
    return sorted(set(re.findall(r"(/\S+) \(0x", printed("ldd", binary))))


def licences(files):
    """Those of the Debian packages that own these files."""
    paths = {name for file in files for name in (file, str(pathlib.Path(file).resolve()))}
    # Of the two names of a file, where /lib is a link, one may be unknown.
    owners = subprocess.run(["dpkg-query", "-S", *sorted(paths)], check=False,
                            capture_output=True, text=True).stdout
    packages = {line.split(":")[0] for line in owners.splitlines()}
    return sorted(pathlib.Path("/usr/share/doc", one, "copyright") for one in packages)


def add(root, name, source, mode=0o644):
    target = root / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def write_root(binary, root):
    add(root, PROGRAM, binary, 0o755)
    subprocess.run(["strip", root / PROGRAM], check=True)
    add(root, "usr/share/doc/trellis/copyright", ROOT / "LICENSE")
    loaded = libraries(binary)
    for library in loaded:
        add(root, library.lstrip("/"), library, 0o755)
    for notice in licences(loaded):
        add(root, str(notice).lstrip("/"), notice)
    (root / "etc").mkdir()
    (root / "etc/passwd").write_text(f"root:x:0:0:root:/:/nologin\n"
                                     f"trellis:x:{USER}:{USER}:trellis:/:/nologin\n",
                                     encoding="ascii")
    (root / "etc/group").write_text(f"root:x:0:\ntrellis:x:{USER}:\n", encoding="ascii")
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n", encoding="ascii")
    # What a container's runtime mounts.
    for folder in ("dev", "proc", "sys", "tmp"):
        (root / folder).mkdir()


def entry(name, size=0, mode=0o644, kind=tarfile.REGTYPE):
    """As of root, and at no time in particular."""
    one = tarfile.TarInfo(name)
    one.size, one.mode, one.type = size, mode, kind
    return one


def layer(root):
    """The tar of the files, by name."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if path.is_dir():
                mode = 0o1777 if name == "tmp" else 0o755
                tar.addfile(entry(name, mode=mode, kind=tarfile.DIRTYPE))
            else:
                content = path.read_bytes()
                mode = path.stat().st_mode & 0o777
                tar.addfile(entry(name, len(content), mode), io.BytesIO(content))
    return out.getvalue()


class Blobs:
    """Files that are named by their content."""

    def __init__(self):
        self.files = {}

    def add(self, kind, content):
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def image(root, version, architecture):
    """The files of the layout, by name."""
    plain = layer(root)
    blobs = Blobs()
    packed = blobs.add(f"{OCI}.layer.v1.tar+gzip", gzip.compress(plain, 9, mtime=0))
    labels = {**CONFIG["Labels"], "org.opencontainers.image.version": version}
    config = blobs.add(f"{OCI}.config.v1+json", as_json({
        "architecture": architecture, "os": "linux", "created": EPOCH,
        "config": {**CONFIG, "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]},
        "history": [{"created": EPOCH, "created_by": "packaging/image.py"}]}))
    manifest = blobs.add(f"{OCI}.manifest.v1+json", as_json({
        "schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json", "config": config,
        "layers": [packed]}))
    name = f"trellis:{version}"
    manifest["annotations"] = {"io.containerd.image.name": f"docker.io/library/{name}",
                               "org.opencontainers.image.ref.name": version}
    return {**blobs.files,
            "oci-layout": as_json({"imageLayoutVersion": "1.0.0"}),
            "index.json": as_json({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json",
                                   "manifests": [manifest]}),
            # For `docker load` before version 25.
            "manifest.json": as_json([{
                "Config": "blobs/sha256/" + config["digest"].split(":")[1], "RepoTags": [name],
                "Layers": ["blobs/sha256/" + packed["digest"].split(":")[1]]}])}


def write_image(binary, output):
    version = printed(binary, "version").split()[1]
    architecture = ARCHITECTURES[printed("uname", "-m").strip()]
    with tempfile.TemporaryDirectory() as folder:
        write_root(binary, pathlib.Path(folder))
        files = image(pathlib.Path(folder), version, architecture)
    with tarfile.open(output, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            tar.addfile(entry(name, len(files[name])), io.BytesIO(files[name]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    binary = pathlib.Path(options.binary).resolve()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_image(binary, options.output)


if __name__ == "__main__":
    main()
