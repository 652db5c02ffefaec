"""The include lint catches each kind of bad edge, and leaves good ones alone."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import includes  # noqa: E402


def messages(path, text):
    return [message for _, message in includes.check_source(path, text)]


class Edges(unittest.TestCase):
    def refuse(self, path, include, *words):
        found = messages(path, f"#pragma once\n#include {include}\n")
        self.assertEqual(len(found), 1, f"{path} including {include}: {found}")
        for word in words:
            self.assertIn(word, found[0])

    def accept(self, path, include):
        self.assertEqual(messages(path, f"#pragma once\n#include {include}\n"), [])

    def test_only_to_the_left(self):
        order = ["framework", "topology", "session", "plugins", "server"]
        for i, left in enumerate(order):
            for right in order[i + 1:]:
                self.refuse(f"{left}/a.cc", f'"{right}/b.h"', f"{left} -> {right}")
                self.accept(f"{right}/a.cc", f'"{left}/b.h"')
            self.accept(f"{left}/a.cc", f'"{left}/b.h"')

    def test_plugins_and_actions_apart(self):
        self.refuse("plugins/numa/numa.cc", '"actions/actions.h"', "plugins -> actions", "callbacks")
        self.refuse("actions/allocate.cc", '"plugins/numa/numa.h"', "actions -> plugins")
        self.refuse("session/cycle/session.h", '"actions/action.h"', "session -> actions")
        self.accept("server/cycle.cc", '"actions/actions.h"')
        self.accept("server/cycle.cc", '"plugins/numa/numa.h"')

    def test_a_plugin_never_includes_another(self):
        self.refuse("plugins/numa/numa.cc", '"plugins/gang/gang.h"', "plugins/numa -> plugins/gang")
        self.accept("plugins/numa/numa.cc", '"plugins/numa/zones.h"')
        self.accept("plugins/registry.cc", '"plugins/numa/numa.h"')

    def test_nothing_includes_tests(self):
        for folder in includes.ALLOWED:
            self.refuse(f"{folder}/a.cc", '"tests/oracle/naive.h"', "tests")
            self.refuse(f"{folder}/a.cc", '"bench/hall.h"', "bench")

    def test_only_server_touches_the_world(self):
        world = ["httplib.h", "nlohmann/json.hpp", "yaml.h", "openssl/ssl.h", "thread",
                 "mutex", "filesystem", "fstream", "iostream", "CLI/CLI.hpp",
                 "ctime", "unistd.h"]
        for header in world:
            for folder in ["framework", "topology", "session", "plugins", "actions"]:
                self.refuse(f"{folder}/a.cc", f"<{header}>", f"{folder} -> <{header}>")
            self.accept("server/a.cc", f"<{header}>")
            self.accept("tests/a_test.cc", f"<{header}>")
            self.accept("bench/a.cc", f"<{header}>")
        for header in ["vector", "chrono", "random", "absl/container/flat_hash_map.h", "xxhash.h",
                       "boost/container/static_vector.hpp", "tl/expected.hpp", "threading.h"]:
            self.accept("framework/a.h", f"<{header}>")

    def test_clocks_and_environment(self):
        self.assertEqual(messages("session/a.cc", "auto d = std::chrono::seconds(3);"), [])
        self.assertEqual(messages("session/a.cc", "// no system_clock here\n"), [])
        self.assertEqual(messages("session/a.cc", 'auto s = "getenv";\n'), [])
        self.assertIn("system_clock", messages("session/a.cc", "std::chrono::system_clock::now();")[0])
        self.assertIn("getenv", messages("plugins/x/a.cc", 'std::getenv("HOME");')[0])
        self.assertIn("seed", messages("actions/a.cc", "std::random_device device;")[0])
        self.assertEqual(messages("server/a.cc", "std::chrono::system_clock::now();"), [])

    def test_how_an_include_is_written(self):
        self.refuse("session/a.cc", '"statement.h"', "from the root")
        self.refuse("session/a.cc", '"absl/hash/hash.h"', "<...>")
        self.refuse("session/a.cc", "<framework/ids.h>", '"framework/ids.h"')

    def test_comments_do_not_count(self):
        self.assertEqual(messages("framework/a.cc", '// #include "server/a.h"\n'), [])
        self.assertEqual(messages("framework/a.cc", '/*\n#include "server/a.h"\n*/\n'), [])


class Rooms(unittest.TestCase):
    """Of a tree with two files a room, whose READMEs say what they include."""

    def breaches(self, sources, readmes=None):
        sources = {path: "".join(f'#include "{target}"\n' for target in targets)
                   for path, targets in sources.items()}
        arrows = includes.read_arrows(sources)
        said = {room: includes.arrows_line(others) + "\n" for room, others in arrows.items()}
        said.update(readmes or {})
        return [f"{path}:{line}: {message}"
                for path, line, message in includes.check_rooms(sources, said)]

    def refuse(self, sources, *words, readmes=None):
        found = self.breaches(sources, readmes)
        self.assertTrue(found, sources)
        for word in words:
            self.assertTrue(any(word in breach for breach in found), f"{word} in {found}")

    def test_arrows_down_are_fine(self):
        self.assertEqual(self.breaches({
            "session/cluster/a.h": ["framework/a.h"],
            "session/cluster/b.cc": ["session/cluster/a.h"],
            "session/fits/a.cc": ["session/cluster/a.h"],
            "framework/a.h": [],
        }), [])

    def test_an_arrow_that_runs_up(self):
        self.refuse({"session/placement/a.cc": ["session/cycle/a.h"], "session/cycle/a.h": []},
                    "session/placement/a.cc:1: session/placement -> session/cycle", "stands above")
        self.refuse({"actions/victims/a.cc": ["actions/a.h"], "actions/a.h": []},
                    "actions/victims -> actions (actions/a.h): actions stands above actions/victims")

    def test_an_unknown_room(self):
        self.refuse({"server/cellar/a.cc": []}, "server/cellar is no room that ORDER")
        self.refuse({"server/a.cc": []}, "server is no room that ORDER")
        self.assertEqual(self.breaches({"plugins/mine/a.cc": []}), [])

    def test_a_circle(self):
        self.refuse({"plugins/mine/a.cc": ["plugins/a.h"], "plugins/a.h": ["plugins/mine/b.h"],
                     "plugins/mine/b.h": []},
                    "a circle of rooms: plugins -> plugins/mine -> plugins")

    def test_a_circle_of_the_folders_that_hold_rooms(self):
        self.refuse({"server/kube/client/a.h": [], "server/serve/a.h": ["server/kube/client/a.h"],
                     "server/kube/watch/a.cc": ["server/serve/a.h"]},
                    "a circle of rooms: server/kube -> server/serve -> server/kube")

    def test_a_circle_among_many_is_found(self):
        self.assertIsNone(includes.circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}))
        self.assertEqual(includes.circle({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}),
                         ["b", "c", "d", "b"])

    def test_what_the_readme_says(self):
        sources = {"session/cluster/a.h": ["framework/a.h"], "framework/a.h": [],
                   "session/fits/a.cc": ["framework/a.h", "session/cluster/a.h"]}
        self.refuse(sources, "session/fits/a.cc:2: session/fits -> session/cluster", "not in the line",
                    readmes={"session/fits": "# fits\n\nMay include: framework.\n"})
        self.refuse(sources, "session/fits/README.md:3: session/fits -> topology is listed",
                    readmes={"session/fits":
                             "# fits\n\nMay include: framework, session/cluster, topology.\n"})
        self.refuse(sources, "session/fits/README.md:1: has 0 lines", readmes={"session/fits": "# fits\n"})
        self.refuse(sources, "session/fits/README.md:1: is missing", readmes={"session/fits": None})

    def test_what_the_build_makes_is_in_no_room(self):
        self.assertEqual(self.breaches({"server/app/a.cc": ["server/version.h"]}), [])


class Files(unittest.TestCase):
    def test_pragma_once(self):
        self.assertEqual(messages("framework/a.h", "#pragma once\n"), [])
        self.assertIn("#pragma once", messages("tests/a.h", "int a;\n")[0])
        self.assertEqual(messages("framework/a.cc", "int a;\n"), [])

    def test_length_and_leftovers(self):
        self.assertEqual(list(includes.check_any("x\n" * 500)), [])
        self.assertEqual(len(list(includes.check_any("x\n" * 501))), 1)
        self.assertEqual(len(list(includes.check_any("// TO" "DO: later\n"))), 1)
        self.assertEqual(len(list(includes.check_any("# FIX" "ME\n"))), 1)
        self.assertEqual(list(includes.check_any("mastodon\n")), [])

    def test_a_bad_tree_fails(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "framework").mkdir()
            (root / "framework" / "a.cc").write_text('#include "server/b.h"\n')
            example = root / "examples" / "plugin" / "plugins" / "mine"
            example.mkdir(parents=True)
            (example / "mine.cc").write_text('#include "actions/actions.h"\n')
            (root / "build").mkdir()
            (root / "build" / "b.cc").write_text('#include "server/b.h"\n')
            run = subprocess.run([sys.executable, includes.__file__, "--root", directory],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 1)
            self.assertIn("framework/a.cc:1: framework -> server", run.stderr)
            self.assertIn("examples/plugin/plugins/mine/mine.cc:1: plugins -> actions", run.stderr)
            self.assertNotIn("build/", run.stderr)


if __name__ == "__main__":
    unittest.main()
