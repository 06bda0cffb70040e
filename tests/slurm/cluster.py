"""A real Slurm on this machine: a controller and two nodes on the loopback, with character devices for GPUs.

Needs root and Debian's packages slurm-wlm and munge. Everything lies in one folder; nothing else is touched.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

NEEDED = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "munged")
NODES = ("n1", "n2")
GPUS = 2

SLURM_CONF = """
ClusterName=atlas
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=15
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=1,sched_interval=5
ReturnToService=2
SlurmdTimeout=10
GresTypes=gpu
JobRequeue=1
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 Gres=gpu:{gpus}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 Gres=gpu:{gpus}
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=60
"""


def why_not() -> str | None:
    """Why a cluster cannot be started here; None where it can."""
    if os.name == "nt" or os.geteuid() != 0:
        return "a Slurm of its own needs root"
    missing = [name for name in NEEDED if shutil.which(name, path=_path()) is None]
    return f"{', '.join(missing)} not found (Debian: apt-get install slurm-wlm munge)" if missing else None


class Cluster:
    """The running cluster; ``environment`` is what its clients need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        (self.folder / "state").mkdir(parents=True)
        self._write_configuration()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        places = {"key-file": key, "socket": self.folder / "munge.socket"}
        places |= {name: self.folder / f"munge.{name}" for name in ("pid-file", "log-file", "seed-file")}
        self._run("munged", "--foreground", "--force", *(f"--{name}={path}" for name, path in places.items()))
        wait_for(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._run("slurmctld", "-D")
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
            self._run("slurmd", "-D", "-N", node, name=node)
        wait_for(lambda: self.ask("sinfo", "-h", "-o", "%D %t") == "2 idle", "two idle nodes")

    def ask(self, *command: str) -> str:
        """What a Slurm command prints."""
        told = {**os.environ, **self.environment}
        return subprocess.run(command, env=told, capture_output=True, text=True).stdout.strip()

    def lose(self, node: str) -> int:
        """A node goes down with all that runs on it, without a word; how many processes that were."""
        self._daemons.pop(node).kill()
        gone = set()
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("SLURMD_NODENAME") == node:
                    steps = [parent for parent in process.parents() if parent.name() == "slurmstepd"]
                    gone.update([process, *steps])
        for process in gone:
            with suppress(psutil.Error):
                process.kill()
        return len(gone)

    def stop(self) -> None:
        self.ask("scancel", "--user=root", "--signal=KILL")
        self.ask("scancel", "--user=root")
        for node in [node for node in NODES if node in self._daemons]:
            self.lose(node)
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()

    def _run(self, *command: str, name: str | None = None) -> None:
        name = name or command[0]
        log = (self.folder / f"{name}.out").open("wb")
        told = {**os.environ, **self.environment}
        self._daemons[name] = subprocess.Popen(
            command, env=told, stdout=log, stderr=log, start_new_session=True
        )

    def _write_configuration(self) -> None:
        values = {"host": socket.gethostname().split(".")[0], "folder": self.folder, "gpus": GPUS}
        configuration = SLURM_CONF.format(ports=free_ports(3), **values)
        (self.folder / "slurm.conf").write_text(configuration)
        lines = []
        for node in NODES:
            for number in range(GPUS):
                # Slurm hands out devices, not files: each is another name of /dev/null.
                device = self.folder / f"gpu-{node}-{number}"
                os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
                lines.append(f"NodeName={node} Name=gpu File={device}")
        (self.folder / "gres.conf").write_text("\n".join(lines) + "\n")


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that lives as long as the ``with``."""
    made = Cluster(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no sign of {what}"
        time.sleep(0.3)


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody uses."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
