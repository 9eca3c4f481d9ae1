"""Spark on loopback, started from the pip package: a master with two workers, and a Connect server."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

from support.patience import wait_until

# Two hosts on loopback: a copy of a slow task is never started on the host of the first attempt.
HOSTS = {"one": "127.0.0.1", "two": "127.0.0.2"}
_LOGGING = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


def missing() -> str:
    """Why no cluster can be started here; empty when one can."""
    try:
        import pyspark.sql  # noqa: F401
    except ImportError:
        return "pyspark is not installed (pip install 'dprivacy[spark]')"
    return "" if shutil.which("java") else "there is no Java (apt install openjdk-17-jre-headless)"


class Cluster:
    """Processes of a cluster, each with a process group of its own, so that one can be killed whole."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder, self._home = folder, Path(pyspark.__file__).parent
        self._running: dict[str, subprocess.Popen] = {}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"spark://127.0.0.1:{probe.getsockname()[1]}"
        port = self.url.rsplit(":", 1)[1]
        self._start("master", "127.0.0.1", "master.Master", "--port", port)
        self._await("master", "Starting Spark master")
        for name in HOSTS:
            self.start_worker(name)

    def start_worker(self, name: str) -> None:
        work = str(self.folder / "work" / name)
        options = ("--cores", "1", "--memory", "1g", "-d", work, self.url)
        self._start(name, HOSTS[name], "worker.Worker", *options)
        self._await(name, "Successfully registered with master")

    def kill_worker(self, name: str) -> None:
        """As if the machine had gone: the worker, its executors and their Pythons, at once."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for name in list(self._running):
            self.kill_worker(name)

    def _start(self, name: str, host: str, role: str, *options: str) -> None:
        environment = os.environ | {
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": host,
            "SPARK_LOCAL_DIRS": str(self.folder / f"local-{name}"),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        bind = ("--host", host, "--webui-port", "0")
        command = ["bin/spark-class", f"org.apache.spark.deploy.{role}", *bind, *options]
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                command, cwd=self._home, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip

    def _await(self, name: str, words: str) -> None:
        log = self.folder / f"{name}.log"
        started = wait_until(lambda: words in log.read_text(errors="replace"), seconds=120)
        assert started, f"{name} did not start: {log.read_text(errors='replace')[-2000:]}"


class ConnectServer:
    """A server of Spark Connect with Pythons of its own, which can be killed."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        for name in ("events", "local"):
            (folder / name).mkdir()
        logging = folder / "log4j2.properties"
        logging.write_text(_LOGGING.format(log=folder / "server.log"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"sc://127.0.0.1:{port}"
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{logging}",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": f"file:{folder / 'events'}",
            "spark.local.dir": str(folder / "local"),
        }
        home = Path(pyspark.__file__).parent
        options = [part for pair in settings.items() for part in ("--conf", "=".join(pair))]
        environment = os.environ | {
            "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
        }  # fmt: skip
        name = "org.apache.spark.sql.connect.service.SparkConnectServer"
        command = ["bin/spark-submit", "--class", name, "--master", "local[2,4]", *options]
        with (folder / "output.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "spark-internal"], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        log = folder / "server.log"
        started = wait_until(
            lambda: log.exists() and "Spark Connect server started" in log.read_text(), seconds=120
        )
        assert started, (folder / "output.log").read_text(errors="replace")[-2000:]

    def pythons(self) -> list[int]:
        """The processes in which tasks of Python run."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                session = int((place / "stat").read_text().rsplit(")", 1)[1].split()[3])
                words = (place / "cmdline").read_bytes()
            except (OSError, ValueError, IndexError):
                continue
            if session == self._process.pid and b"pyspark" in words and b"daemon" in words:
                found.append(int(place.name))
        return found

    def kill_pythons(self) -> int:
        """As if the machine were out of memory: every Python of the server at once; how many."""
        found = self.pythons()
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return len(found)

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def session_on(master: str, folder: Path, **settings: str):
    """A Spark session that writes its log, its events and its temporary files below a folder."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    for name in ("events", "local"):
        (folder / name).mkdir()
    logging = folder / "log4j2.properties"
    logging.write_text(_LOGGING.format(log=folder / "driver.log"))
    usual = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{logging}",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{folder / 'events'}",
        "spark.local.dir": str(folder / "local"),
        "spark.worker.timeout": "10",
    }
    builder = SparkSession.builder.master(master).appName("dprivacy tests")
    for key, value in (usual | settings).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def everything_below(folder: Path) -> bytes:
    """The bytes and names of all files of a folder, logs and temporary files included."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)
