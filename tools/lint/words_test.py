"""The word lint finds second words however they are spelt, and leaves foreign names alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import words  # noqa: E402


class Words(unittest.TestCase):
    def refuse(self, text, path="session/a.cc"):
        self.assertEqual(len(list(words.check_text(path, text))), 1, text)

    def accept(self, text, path="session/a.cc"):
        self.assertEqual(list(words.check_text(path, text)), [], text)

    def test_second_words(self):
        for text in ("int job;", "pending_jobs", "kHostLabel", "runTask()", "// the task's pods",
                     '"a host is full"', "struct PendingJob {", "preemptees", "Departments",
                     "-f jobs.yaml"):
            self.refuse(text)

    def test_other_words(self):
        for text in ("hostname", "kHostname", "localhost", "a ghost", "multitasking", "jobless"):
            self.accept(text)

    def test_foreign_names(self):
        for text in ("a `batch/v1 Job`", "JobSets and MPIJobs", "kai.scheduler/task-priority",
                     '"batch.kubernetes.io/job-completion-index"', "/proc/self/task", "host_ports",
                     "HostPortConflict", "a host port", "hostIP", "`Host`", r'"\r\nHost: a"',
                     "gang/ns/job.train"):
            self.accept(text)
        self.refuse("job.name")
        self.refuse("host_label")
        self.refuse("wishes_")

    def test_folders(self):
        self.accept("expand_jobs(job, host)", "server/grouping/a.cc")
        self.accept("the host listens", "server/http/a.cc")
        self.refuse("a job listens", "server/http/a.cc")

    def test_words_with_another_meaning_elsewhere(self):
        self.refuse("the links of a text", "server/sources/a.cc")
        self.refuse("topic_of(name)", "tests/server/sources/a.cc")
        self.accept('#include "server/manifest/link_numa.h"', "server/sources/a.cc")
        self.accept("the links of a pod class")

    def test_which_files(self):
        for path in ("README.md", "docs/cli.md", "plugins/gang/gang.h", "server/page/page.js"):
            self.assertTrue(words.is_checked(path), path)
        for path in ("Makefile", "tests/scenarios/a/input.yaml", "tools/lint/words.py"):
            self.assertFalse(words.is_checked(path), path)


if __name__ == "__main__":
    unittest.main()
