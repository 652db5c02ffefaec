"""Whom a service takes for its API server, by the certificate that is shown."""

import os
import subprocess
import tempfile
import unittest

from scripted_objects import node, pod
from service import wait_for


def trusted_servers(cluster_of):
    """The tests, over clusters of this class."""

    class Tls(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.folder = tempfile.TemporaryDirectory()
            cls.good = cls.certificate("good", "IP:127.0.0.1")
            cls.other = cls.certificate("other", "IP:127.0.0.1")
            cls.named = cls.certificate("named", "DNS:api.internal")
            # Their common name is the address at which they answer.
            cls.named_besides = cls.certificate("127.0.0.1", "DNS:api.internal")
            cls.called_only = cls.certificate("127.0.0.1", None)

        @classmethod
        def tearDownClass(cls):
            cls.folder.cleanup()

        @classmethod
        def certificate(cls, name, subject):
            number = len(os.listdir(cls.folder.name))
            key, certificate = (os.path.join(cls.folder.name, f"{name}-{number}{end}")
                                for end in (".key", ".crt"))
            names = ["-addext", "subjectAltName=" + subject] if subject else []
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
                            "-subj", "/CN=" + name, *names, "-keyout", key, "-out", certificate],
                           check=True, capture_output=True)
            return certificate, key

        def reads(self, tls, cluster):
            with cluster_of(tls=tls, cluster=cluster) as one:
                one.api.put("nodes", node("n1"))
                one.api.put("pods", pod("a"))
                service = one.start()
                one.wait_placed({"a": "n1"})
                return service.events("insecure-skip-tls-verify: the kubeconfig trusts any server "
                                      "that answers")

        def refusal(self, tls, cluster):
            with cluster_of(tls=tls, cluster=cluster) as one:
                service = one.start()
                failed = wait_for("it fails", lambda: service.events("discovery failed"))
                self.assertEqual(service.fetch("/readyz")[0], 503)
                self.assertEqual(one.api.requests, [], "nothing was said to whom is not trusted")
                return failed[0]["what"]

        def test_a_server_of_the_given_authority_is_trusted(self):
            self.assertEqual(self.reads(self.good, {"certificate-authority": self.good[0]}), [])

        def test_no_other_server_is(self):
            self.assertIn("not to be trusted",
                          self.refusal(self.good, {"certificate-authority": self.other[0]}))
            self.assertIn("not to be trusted", self.refusal(self.good, {}))

        def test_a_server_of_another_name_is_not(self):
            self.assertIn("it is for another name",
                          self.refusal(self.named, {"certificate-authority": self.named[0]}))
            self.reads(self.named, {"certificate-authority": self.named[0],
                                    "tls-server-name": "api.internal"})

        def test_a_common_name_makes_no_server_trusted(self):
            for tls in (self.named_besides, self.called_only):
                self.assertIn("it is for another name",
                              self.refusal(tls, {"certificate-authority": tls[0]}))
            self.reads(self.named_besides, {"certificate-authority": self.named_besides[0],
                                            "tls-server-name": "api.internal"})

        def test_only_the_kubeconfig_can_turn_that_off(self):
            self.assertEqual(len(self.reads(self.good, {"insecure-skip-tls-verify": True})), 1)

    return Tls
