#!/usr/bin/env python3
"""The Debian package in a clean Debian 12: installed, used and removed.

    run.py --build build/release

The root is made by mmdebstrap once, below the build folder, and each run has a copy of it that is
thrown away. That needs root; without it this ends with 77: skipped.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from served import serves_and_ends

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = None
SKIPPED = 77
MOST_SECONDS = 60  # from dpkg -i to the first answer about one's own dump
APT = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root"]
NOBODY = "65534:65534"
DOCUMENTS = "usr/share/doc/trellis"
UNIT = "usr/lib/systemd/system/trellis.service"
INSTALLED = ("usr/bin/trellis", "usr/bin/kubectl-trellis", UNIT,
             "usr/share/man/man1/trellis.1", "usr/share/man/man1/trellis-schedule.1",
             "usr/share/bash-completion/completions/trellis",
             "usr/share/zsh/vendor-completions/_trellis",
             "usr/share/fish/vendor_completions.d/trellis.fish",
             f"{DOCUMENTS}/copyright", f"{DOCUMENTS}/README.md", f"{DOCUMENTS}/docs/cli.md",
             f"{DOCUMENTS}/examples/nvl72/cluster.yaml", f"{DOCUMENTS}/deploy/base/deployment.yaml")
GIVEN = "given"  # the folder of the root that holds what the test puts there


def clean_root(build):
    """A Debian 12 with nothing but what apt needs."""
    archive = build / "artifacts" / "debian-12.tar"
    if not archive.exists():
        archive.parent.mkdir(exist_ok=True)
        unfinished = archive.with_suffix(".part.tar")
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--mode=root", "bookworm",
                        unfinished], check=True)
        unfinished.rename(archive)
    return archive


def made_package(build):
    folder = build / "package"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder], check=True,
                   stdout=subprocess.PIPE)
    [package] = folder.glob("*.deb")
    return package


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = made_package(BUILD)
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="trellis-root-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        subprocess.run(["tar", "-xf", clean_root(BUILD), "-C", cls.root, "--exclude=./dev/*"],
                       check=True)
        (cls.root / "dev/null").touch()
        shutil.copy("/etc/resolv.conf", cls.root / "etc/resolv.conf")
        cls.before = cls.files()
        cls.given = cls.root / GIVEN
        cls.given.mkdir()
        shutil.copy(cls.package, cls.given / "trellis.deb")
        cls.inside(*APT, "update")
        begin = time.monotonic()
        # As its user has it: dpkg says what is missing, and apt fetches that.
        cls.inside("dpkg", "-i", f"/{GIVEN}/trellis.deb", good=(0, 1))
        cls.inside(*APT, "-y", "--no-install-recommends", "-f", "install")
        shutil.copytree(ROOT / "examples/nvl72", cls.given / "dump")
        cls.answer = cls.inside("trellis", "schedule", "-f", f"/{GIVEN}/dump")
        cls.seconds = time.monotonic() - begin

    @classmethod
    def files(cls):
        return {str(path.relative_to(cls.root)) for path in cls.root.rglob("*")}

    @classmethod
    def command(cls, *words, user="0:0"):
        return ["/usr/sbin/chroot", f"--userspec={user}", cls.root, "/usr/bin/env", "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                f"HOME=/{GIVEN}", *map(str, words)]

    @classmethod
    def inside(cls, *words, good=(0,), **options):
        done = subprocess.run(cls.command(*words, **options), check=False, capture_output=True,
                              text=True, timeout=300)
        if done.returncode not in good:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def test_1_the_first_answer_comes_soon(self):
        self.assertIn("14 of 16 gangs placed", self.answer)
        self.assertLess(self.seconds, MOST_SECONDS)
        print(f"from dpkg -i to the first answer: {self.seconds:.1f} s", file=sys.stderr)

    def test_2_it_has_what_it_promises(self):
        listed = set(self.inside("dpkg", "-L", "trellis").split())
        for path in INSTALLED:
            with self.subTest(path):
                self.assertIn("/" + path, listed)
                self.assertTrue(os.path.lexists(self.root / path))
        commands = re.findall(r"^\.BR trellis\\-([a-z]+) ", (
            self.root / "usr/share/man/man1/trellis.1").read_text(encoding="utf-8"), re.M)
        self.assertIn("serve", commands)
        for command in commands:
            self.assertIn(f"/usr/share/man/man1/trellis-{command}.1", listed)
        program = self.root / "usr/bin/trellis"
        self.assertIn("no symbols", subprocess.run(["nm", program], check=False, text=True,
                                                   capture_output=True).stderr)
        for path in self.root.glob(f"{DOCUMENTS}/**/*"):
            self.assertNotIn("__pycache__", path.parts)

    def test_2_nothing_in_it_is_of_the_builder(self):
        contents = subprocess.run(["dpkg-deb", "--contents", self.package], check=True,
                                  capture_output=True, text=True).stdout
        self.assertEqual({line.split()[1] for line in contents.splitlines()}, {"root/root"})
        self.assertEqual([line for line in contents.splitlines() if line[5] == "w" or line[8] == "w"
                          if not line.startswith("l")], [])

    def test_2_kubectl_finds_its_plugin(self):
        self.assertIn("Usage: kubectl trellis", self.inside("kubectl-trellis", "help"))
        done = subprocess.run(self.command("kubectl-trellis", "queues"), check=False,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"/{GIVEN}/.kube/config", done.stderr)

    def test_2_the_unit_is_well_formed_and_its_command_serves(self):
        text = (self.root / UNIT).read_text(encoding="utf-8")
        # Judged here, where there is a systemd.
        unit = self.given / pathlib.Path(UNIT).name
        unit.write_text(text.replace("ExecStart=trellis", f"ExecStart={BUILD / 'trellis'}"),
                        encoding="utf-8")
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout + done.stderr, "")
        lines = dict(line.split("=", 1) for line in text.splitlines()
                     if "=" in line and not line.startswith("#"))
        arguments = shlex.split(lines["Environment"])[0].split("=", 1)[1]
        words = lines["ExecStart"].replace("$TRELLIS_ARGUMENTS", arguments).split()
        state = self.root / "var/lib" / lines["StateDirectory"]
        shutil.copytree(ROOT / "examples/nvl72", state)
        self.addCleanup(shutil.rmtree, state)
        self.assertEqual(serves_and_ends(self.command(*words, user=NOBODY)), 0)

    def test_3_nothing_of_it_stays(self):
        self.inside("dpkg", "--purge", "trellis")
        left = {path for path in self.files() - self.before if "trellis" in path}
        self.assertEqual({path for path in left if not path.startswith(GIVEN + "/")}, set())
        self.assertEqual(self.inside("dpkg", "-l", "trellis", good=(1,)), "")


def main():
    global BUILD
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    BUILD = pathlib.Path(options.build).resolve()
    if os.geteuid() != 0:
        print("skipped: a clean root can be made by root alone")
        return SKIPPED
    for program in ("mmdebstrap", "cpack", "dpkg-shlibdeps"):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            return SKIPPED
    return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
