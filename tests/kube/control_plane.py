"""A real etcd, kube-apiserver and kwok on free ports of 127.0.0.1, with certificates of their own;
kube-controller-manager, for tests that ask for it.

They end with the program that started them, even one that is killed. Users are who their certificate
says: `admin` may do everything, any other nothing until it is granted. What others than admin ask
of the API server is kept in its audit log.
"""

import http.client
import json
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import tempfile

from service import Failure, wait_for

ADDRESS = "127.0.0.1"
# Whose pods make and end objects of other kinds. There is no garbage collector among them.
CONTROLLERS = ("cronjob", "deployment", "job", "replicaset")
# Before Kubernetes 1.36 a Job kept its start time when it was suspended.
OLDER_JOBS = "MutableSchedulingDirectivesForSuspendedJobs=false"
HELD = "example.com/held"  # an annotation: pods of Jobs that bear it run until it is gone
UNREADY = "example.com/unready"  # likewise: pods that bear it never run
# How the gangs of Kubernetes itself are served: the API versions, and what switches them on.
GANG_APIS = {36: (("v1alpha2",), "GenericWorkload"),
             37: (("v1beta1", "v1alpha3"),
                  "GenericWorkload,TopologyAwareWorkloadScheduling,CompositePodGroup")}
READY_SECONDS = 120
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
         "rules": [{"level": "None", "users": ["admin"]},
                   {"level": "Metadata", "userGroups": ["tests"]}]}


def free_port():
    """One that no outgoing connection gets: while its server is down, it must stay free."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind((ADDRESS, port))
                return port
            except OSError:
                continue


class Certificates:
    """An authority, and what it signs, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self._key("ca")
        self._openssl("req", "-x509", "-new", "-key", self.path("ca.key"), "-subj", "/CN=tests",
                      "-days", "2", "-out", self.path("ca.crt"))

    def path(self, name):
        return str(self.folder / name)

    def sign(self, name, subject, *extensions):
        self._key(name)
        self._openssl("req", "-new", "-key", self.path(name + ".key"), "-subj", subject,
                      "-out", self.path(name + ".csr"))
        extra = self.folder / (name + ".ext")
        extra.write_text("\n".join(extensions), encoding="ascii")
        self._openssl("x509", "-req", "-in", self.path(name + ".csr"), "-days", "2",
                      "-CA", self.path("ca.crt"), "-CAkey", self.path("ca.key"),
                      "-CAcreateserial", "-extfile", str(extra), "-out", self.path(name + ".crt"))

    def _key(self, name):
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout",
                      "-out", self.path(name + ".key"))

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Program:
    """A process that ends with this one, and what it said."""

    def __init__(self, folder, command):
        self.command = command
        self.log = folder / (pathlib.Path(command[0]).name + ".log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", *command],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ended(self):
        return self.process.poll() is not None

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def signal(self, which):
        self.process.send_signal(which)

    def kill(self):
        """Its state is thrown away, so nobody is asked to leave."""
        if not self.ended():
            self.process.kill()
        self.process.wait()


class Client:
    """Speaks to the API server, as the user of a certificate, over one kept connection."""

    def __init__(self, port, certificates, user):
        context = ssl.create_default_context(cafile=certificates.path("ca.crt"))
        context.load_cert_chain(certificates.path(user + ".crt"), certificates.path(user + ".key"))
        self.connection = http.client.HTTPSConnection(ADDRESS, port, context=context, timeout=60)

    def ask(self, method, path, body=None):
        """(status, what was answered); a body is an object, or YAML."""
        kind = "application/yaml" if isinstance(body, str) else "application/json"
        if method == "PATCH":
            kind = "application/merge-patch+json"
        text = json.dumps(body) if isinstance(body, (dict, list)) else body
        try:
            self.connection.request(method, path, body=text.encode() if text else None,
                                    headers={"Content-Type": kind, "Accept": "application/json"})
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        if "json" not in answer.headers.get("Content-Type", ""):
            return answer.status, content.decode()
        return answer.status, json.loads(content)

    def close(self):
        self.connection.close()


def minor_of(programs):
    said = subprocess.run([str(programs / "kube-apiserver"), "--version"], check=True,
                          capture_output=True, text=True).stdout
    return int(said.split("v1.")[1].split(".")[0])


class ControlPlane:
    def __init__(self, programs):
        self.bin = pathlib.Path(programs)
        self.minor = minor_of(self.bin)  # of Kubernetes 1
        self.gang_apis, self.gang_gates = GANG_APIS[self.minor]
        self.kept = tempfile.TemporaryDirectory(prefix="trellis-kube-")
        self.folder = pathlib.Path(self.kept.name)
        self.running = []
        self.audited, self.asked = 0, {}  # bytes of the audit log, and what they say, by user
        try:
            self.certificates = Certificates(self.folder)
            self.certificates.sign("server", "/CN=kube-apiserver",
                                   f"subjectAltName=IP:{ADDRESS}", "extendedKeyUsage=serverAuth")
            self.certificates.sign("admin", "/O=system:masters/CN=admin",
                                   "extendedKeyUsage=clientAuth")
            (self.folder / "audit.yaml").write_text(json.dumps(AUDIT), encoding="ascii")
            self.etcd_port, _ = self._on_free_ports(2, self._start_etcd)
            self.port, = self._on_free_ports(1, self._start_api)
            self.kwok = self._start("kwok", "--kubeconfig", self.kubeconfig("admin"),
                                    "--manage-all-nodes=true",
                                    "--config", self._stages(),
                                    "--server-address", f"{ADDRESS}:{free_port()}")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in reversed(self.running):
            program.kill()
        self.kept.cleanup()

    def _start(self, name, *arguments):
        program = Program(self.folder, [str(self.bin / name), *arguments])
        self.running.append(program)
        return program

    def _stages(self):
        """What kwok makes of nodes and pods, but for pods that a test holds back."""
        text = (self.bin / "kwok-stages.yaml").read_text(encoding="utf-8")
        for stage, annotation in (("pod-complete", HELD), ("pod-ready", UNREADY)):
            before, begin, after = text.partition(f"name: {stage}\n")
            condition = (f"matchExpressions:\n    - key: '.metadata.annotations[\"{annotation}\"]'"
                         "\n      operator: 'DoesNotExist'\n")
            text = before + begin + after.replace("matchExpressions:\n", condition, 1)
        path = self.folder / "stages.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def start_controllers(self):
        """Makes the pods of Jobs and Deployments until it is killed."""
        return self._start("kube-controller-manager", "--kubeconfig", self.kubeconfig("admin"),
                           "--controllers=" + ",".join(f"{one}-controller" for one in CONTROLLERS),
                           f"--feature-gates={OLDER_JOBS}", "--leader-elect=false",
                           "--secure-port=0", "--kube-api-qps=1000",
                           "--kube-api-burst=1000")

    def _on_free_ports(self, count, start):
        """Starts on free ports; on others, where somebody else was faster."""
        for attempt in (1, 2, 3):
            ports = [free_port() for _ in range(count)]
            try:
                start(*ports)
                return ports
            except Failure as failure:
                if attempt == 3 or "address already in use" not in str(failure):
                    raise
        raise AssertionError

    def _wait_ready(self, program, client, path):
        def ready():
            if program.ended():
                raise Failure(f"{program.log.name}: it ended: {program.said()[-2000:]}")
            try:
                return client(path) == 200
            except (OSError, http.client.HTTPException):
                return False
        wait_for(program.log.name.removesuffix(".log"), ready, READY_SECONDS)

    def _start_etcd(self, port, peer):
        url, peers = f"http://{ADDRESS}:{port}", f"http://{ADDRESS}:{peer}"
        etcd = self._start("etcd", "--name", "test",
                           "--data-dir", str(self.folder / f"etcd-{port}"),
                           "--listen-client-urls", url, "--advertise-client-urls", url,
                           "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                           "--initial-cluster", "test=" + peers,
                           "--log-level", "warn", "--unsafe-no-fsync")

        def health(path):
            connection = http.client.HTTPConnection(ADDRESS, port, timeout=5)
            try:
                connection.request("GET", path)
                return connection.getresponse().status
            finally:
                connection.close()
        self._wait_ready(etcd, health, "/health")

    def _start_api(self, port):
        at = self.certificates.path
        service_accounts = [f"--service-account-{name}" for name in (
            "issuer=https://kubernetes.default.svc", f"key-file={at('server.key')}",
            f"signing-key-file={at('server.key')}")]
        # Nobody makes service accounts or takes the taint of a new node away: controllers that are
        # not started. An address of the machine itself is no endpoint.
        gates = ",".join(f"{gate}=true" for gate in self.gang_gates.split(","))
        served = ",".join(f"scheduling.k8s.io/{version}=true" for version in self.gang_apis)
        self.api = self._start(
            "kube-apiserver", f"--etcd-servers=http://{ADDRESS}:{self.etcd_port}",
            f"--bind-address={ADDRESS}", f"--advertise-address={ADDRESS}",
            f"--secure-port={port}", "--endpoint-reconciler-type=none",
            f"--tls-cert-file={at('server.crt')}", f"--tls-private-key-file={at('server.key')}",
            f"--client-ca-file={at('ca.crt')}", "--authorization-mode=RBAC",
            "--anonymous-auth=false", "--service-cluster-ip-range=10.96.0.0/16",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            f"--feature-gates={gates},{OLDER_JOBS}", f"--runtime-config={served}",
            f"--audit-policy-file={at('audit.yaml')}", f"--audit-log-path={at('audit.log')}",
            *service_accounts)
        admin = Client(port, self.certificates, "admin")
        for path in ("/readyz", "/api/v1/namespaces/default"):
            self._wait_ready(self.api, lambda path: admin.ask("GET", path)[0], path)
        admin.close()

    def kill_api(self):
        """As a crash does: no connection is said good-bye to."""
        self.api.kill()

    def restart_api(self):
        """On the same port; what its watches could be resumed from is forgotten."""
        self._start_api(self.port)

    def freeze_api(self):
        """It takes connections, and says nothing, until it is thawed."""
        self.api.signal(signal.SIGSTOP)

    def thaw_api(self):
        self.api.signal(signal.SIGCONT)

    def client(self, user="admin"):
        return Client(self.port, self.certificates, user)

    def add_user(self, name):
        """One whose requests are kept, and who may do nothing yet."""
        self.certificates.sign(name, f"/O=tests/CN={name}", "extendedKeyUsage=clientAuth")

    def kubeconfig(self, user, port=None):
        """For the API server itself, or what stands before it on another port."""
        at = self.certificates.path
        port = port or self.port
        path = self.folder / f"{user}-{port}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": user,
            "contexts": [{"name": user, "context": {"cluster": "test", "user": user}}],
            "clusters": [{"name": "test", "cluster": {
                "server": f"https://{ADDRESS}:{port}", "certificate-authority": "ca.crt"}}],
            "users": [{"name": user, "user": {"client-certificate": at(user + ".crt"),
                                              "client-key": at(user + ".key")}}]}),
            encoding="ascii")
        return str(path)

    def requests(self, user):
        """What this user asked for: events of the audit log."""
        log = self.folder / "audit.log"
        if log.exists():
            with open(log, "rb") as file:
                file.seek(self.audited)
                # The last line may be half written.
                lines, _, _ = file.read().rpartition(b"\n")
            self.audited += len(lines) + 1 if lines else 0
            for line in lines.splitlines():
                one = json.loads(line)
                self.asked.setdefault(one["user"]["username"], []).append(one)
        return self.asked.get(user, [])
