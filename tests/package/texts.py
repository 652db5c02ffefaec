#!/usr/bin/env python3
"""What the program prints of itself: manual pages that are well-formed, and completions that each
shell takes and answers from.

    texts.py --binary build/release/trellis
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = None
# A page says which version it is of, and not when it was made: two builds print the same.
WITHOUT_A_DATE = "missing date"


def printed(*words):
    return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True).stdout


def commands():
    """In the order of the help, which names them at the end."""
    lines = printed("help").split("Subcommands:\n", 1)[1].split("\n\n", 1)[0].split("\n")
    return [line.split()[0] for line in lines if re.match(r"  \w", line)]


def asked(shell, script):
    """The words that a shell prints of this script, each before a tab; it must not complain."""
    done = subprocess.run([*shell, script], check=False, capture_output=True, text=True,
                          timeout=60)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{shell}: {done.stderr}")
    return sorted(line.split("\t")[0] for line in done.stdout.splitlines() if line)


class Pages(unittest.TestCase):
    def test_every_command_has_a_page_that_is_well_formed(self):
        for command in [None, *commands()]:
            with self.subTest(command), tempfile.NamedTemporaryFile("w", suffix=".1") as page:
                page.write(printed("man", *([command] if command else [])))
                page.flush()
                found = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page.name],
                                       check=False, capture_output=True, text=True).stdout
                self.assertEqual([line for line in found.splitlines()
                                  if WITHOUT_A_DATE not in line], [])

    def test_a_page_has_every_option_of_the_help(self):
        for command in commands():
            help_text = printed(command, "--help") if command != "help" else ""
            page = subprocess.run(["mandoc", "-T", "utf8"], check=True, capture_output=True,
                                  input=printed("man", command), text=True).stdout
            page = re.sub(".\b", "", page)
            for option in re.findall(r"--[a-z-]+", help_text):
                with self.subTest(command=command, option=option):
                    self.assertIn(option, page)

    def test_the_page_of_trellis_lists_the_commands(self):
        page = printed("man")
        for command in commands():
            self.assertIn(f".BR trellis\\-{command} (1)", page)


class Completions(unittest.TestCase):
    CASES = (
        ("sch", ["schedule"]),
        ("schedule -o t", ["table", "tree"]),
        ("schedule --output=t", ["table", "tree"]),
        ("schedule --fail", ["--fail-unscheduled"]),
        ("explain g", ["gang/"]),
        ("whatif --remove w", ["workload/"]),
        ("config p", ["print"]),
        ("completion z", ["zsh"]),
        ("help top", ["topology"]),
    )

    def check(self, answer, whole_word=False):
        """`whole_word`: the shell answers with the option that the value stands behind, too."""
        for line, wanted in self.CASES:
            before = re.sub(r".* |[^=]*$", "", line) if whole_word else ""
            with self.subTest(line):
                self.assertEqual(answer(line), sorted(before + one for one in wanted))

    def test_bash(self):
        def answer(line):
            words = ["trellis", *re.split(r" |(=)", line)]
            words = " ".join(f"'{word}'" for word in words if word is not None)
            return asked(["bash", "-c"], f"""{printed("completion", "bash")}
                COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _trellis
                printf '%s\\n' "${{COMPREPLY[@]}}" """)
        self.check(answer)

    def test_fish(self):
        def answer(line):
            return asked(["fish", "--no-config", "-c"], f"""{printed("completion", "fish")}
                complete -C 'trellis {line}'""")
        self.check(answer, whole_word=True)

    def test_zsh(self):
        """Asked as a user asks it: in a terminal, where it inserts what is certain."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_trellis").write_text(printed("completion", "zsh"),
                                                        encoding="utf-8")
            for line, wanted in self.CASES:
                shared = wanted[0] if len(wanted) == 1 else "t"
                with self.subTest(line):
                    self.assertEqual(self.zsh(folder, line), re.sub("[^ =]*$", "", line) + shared)

    def zsh(self, folder, line):
        """The command line after a tab, without its first word."""
        inner = f"""fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; PS1=ready%#
            unsetopt list_beep menu_complete auto_menu; bindkey "^I" complete-word
            show() {{ print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }}; zle -N show; bindkey "^X" show
            print inner-ready"""
        script = pathlib.Path(folder, "ask.zsh")
        pathlib.Path(folder, ".zshrc").write_text(inner, encoding="utf-8")
        script.write_text(f"""zmodload zsh/zpty
            zpty ask env ZDOTDIR={folder} TERM=dumb zsh -i
            zpty -r ask out '*inner-ready*'
            zpty -w -n ask $'trellis {line}\\t\\x18'
            zpty -r ask out '*>>*'
            print -r -- $out
            zpty -d ask""", encoding="utf-8")
        done = subprocess.run(["zsh", "-f", script], check=False, capture_output=True, text=True,
                              timeout=60)
        found = re.findall(r"<<trellis (.*?)>>", done.stdout)
        self.assertTrue(found, done.stdout + done.stderr)
        return found[-1].strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options, rest = parser.parse_known_args()
    BINARY = str(pathlib.Path(options.binary).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
