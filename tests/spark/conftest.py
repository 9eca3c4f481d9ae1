"""One cluster for all tests of this shelf, and runs whose key is known."""

import pytest

from dprivacy.release.spark import spark_release as engine
from support.services import require
from support.spark_frames import Fixed
from support.spark_standalone import Cluster, ConnectServer, session_on


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    require("spark")
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    settings = {
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.minTaskRuntime": "3s",
    }
    with session_on(cluster.url, cluster.folder, **settings) as session:
        yield session


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    require("spark")
    running = ConnectServer(tmp_path_factory.mktemp("connect"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server):
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


@pytest.fixture
def fixed(monkeypatch):
    """Runs with a known key."""
    monkeypatch.setattr(engine, "choose_source", lambda seed: Fixed())
