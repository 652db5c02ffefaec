"""What is generated in examples/ is what its generator writes."""

import pathlib
import subprocess
import sys
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Generated(unittest.TestCase):
    def test_nvl72(self):
        written = subprocess.run([sys.executable, str(EXAMPLES / "nvl72" / "generate.py")],
                                 check=True, capture_output=True, text=True).stdout
        self.assertTrue(written == (EXAMPLES / "nvl72" / "cluster.yaml").read_text(),
                        "run examples/nvl72/generate.py > examples/nvl72/cluster.yaml")


if __name__ == "__main__":
    unittest.main()
