#!/usr/bin/env python3
"""The container image: two builds of it are equal, its parts are what its manifests say, and its
program runs in it as the image's user, on a file system that it cannot write to.

    image.py --binary build/release/trellis
"""

import argparse
import gzip
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from served import serves_and_ends

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = None


def maker():
    specification = importlib.util.spec_from_file_location("maker", ROOT / "packaging" / "image.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="trellis-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.archive = cls.folder / "image.tar"
        maker().write_image(BINARY, cls.archive)
        with tarfile.open(cls.archive) as tar:
            cls.files = {one.name: tar.extractfile(one).read() for one in tar.getmembers()}
        index = json.loads(cls.files["index.json"])
        cls.manifest = json.loads(cls.blob(index["manifests"][0]))
        cls.config = json.loads(cls.blob(cls.manifest["config"]))
        cls.root = cls.folder / "root"
        cls.root.mkdir()
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(
                cls.blob(cls.manifest["layers"][0])))) as tar:
            cls.members = tar.getmembers()
            tar.extractall(cls.root)

    @classmethod
    def blob(cls, descriptor):
        content = cls.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert digest(content) == descriptor["digest"] and len(content) == descriptor["size"]
        return content

    def command(self, *words):
        """The image's entry point, as its user, with its root for /."""
        as_user = [f"--userspec={self.config['config']['User']}"] if os.geteuid() == 0 else []
        enter = [] if as_user else ["unshare", "--map-root-user"]
        return [*enter, "/usr/sbin/chroot", *as_user, self.root,
                *self.config["config"]["Entrypoint"], *words]

    def inside(self, *words, given=None):
        return subprocess.run(self.command(*words), check=False, capture_output=True, text=True,
                              env={}, input=given, timeout=60)

    def test_two_builds_are_equal(self):
        again = self.folder / "again.tar"
        maker().write_image(BINARY, again)
        self.assertEqual(digest(again.read_bytes()), digest(self.archive.read_bytes()))

    def test_the_older_format_describes_the_same_image(self):
        [one] = json.loads(self.files["manifest.json"])
        self.assertEqual(digest(self.files[one["Config"]]), self.manifest["config"]["digest"])
        self.assertEqual([digest(self.files[name]) for name in one["Layers"]],
                         [layer["digest"] for layer in self.manifest["layers"]])
        plain = gzip.decompress(self.files[one["Layers"][0]])
        self.assertEqual(self.config["rootfs"]["diff_ids"], [digest(plain)])
        self.assertRegex(one["RepoTags"][0], r"^trellis:\d+\.\d+\.\d+$")

    def test_nothing_in_it_is_the_users_or_has_more_rights(self):
        for one in self.members:
            self.assertEqual((one.uid, one.gid, one.mtime, one.mode & 0o6000), (0, 0, 0, 0), one.name)
            self.assertFalse(one.mode & 0o022 and one.name != "tmp", one.name)
        self.assertFalse(any(name.endswith(("/sh", "/bash", "/dpkg"))
                             for name in (one.name for one in self.members)))
        packages = {one.name.split("/")[3] for one in self.members
                    if re.fullmatch("usr/share/doc/[^/]+/copyright", one.name)}
        self.assertLessEqual({"trellis", "libc6", "libssl3"}, packages)

    def test_it_prints_its_help(self):
        done = self.inside(*self.config["config"]["Cmd"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Usage: trellis", done.stdout)

    def test_it_schedules_and_may_not_write(self):
        dump = b"".join((ROOT / "examples/nvl72" / name).read_bytes() + b"\n---\n"
                        for name in ("cluster.yaml", "gangs.yaml")).decode()
        done = self.inside("schedule", "-f", "-", "--save", "/saved", given=dump)
        self.assertIn("14 of 16 gangs placed", done.stdout)
        if os.geteuid() == 0:
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write /saved", done.stderr)

    def test_it_serves(self):
        shutil.copytree(ROOT / "examples/nvl72", self.root / "input")
        self.assertEqual(serves_and_ends(self.command("serve", "-f", "/input")), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options, rest = parser.parse_known_args()
    BINARY = str(pathlib.Path(options.binary).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
