"""A dry run that is ended, whatever its watches do."""

from objects import node

STOP_SECONDS = 5


class Ending:
    """For a test case beside a cluster."""

    def stops(self):
        seconds, code = self.service.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, STOP_SECONDS)

    def test_sigterm_ends_it_with_all_watches_open(self):
        self.put("nodes", node("n1"))
        self.start()
        self.until("all is watched", lambda: self.figure("watches_total", "nodes")
                   and self.figure("watches_total", "pods"))
        self.stops()

    def test_sigterm_ends_it_while_the_api_server_says_nothing(self):
        self.put("nodes", node("n1"))
        self.start()
        self.wait_placed({})
        self.plane.freeze_api()
        try:
            self.stops()
        finally:
            self.plane.thaw_api()

    def test_sigterm_ends_it_while_no_api_server_is_there(self):
        self.start()
        self.wait_placed({})
        self.plane.kill_api()
        try:
            self.until("it is missed", lambda: self.figure("failures_total", "pods"))
            self.stops()
        finally:
            self.admin.close()
            self.plane.restart_api()
