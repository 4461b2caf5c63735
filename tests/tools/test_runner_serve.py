"""`serve`: what stands in the way is told in one line, and where nothing does, HTTP answers."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from kata.look import Look
from kata.serve import _bind
from kata.steps import ROOT
from tests.tools.throwaway import Project, right

NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("serve") / "kata")
    project.solve(*range(1, 10))
    return project


def test_an_engine_that_there_is_not(project):
    told = project.kata("serve", "--engine", "turbo")
    assert told.status == WRONG_USE and "no engine 'turbo': choose cached, uncached, huggingface" in told


def test_a_folder_that_there_is_not(project):
    told = project.kata("serve", "--impl", "nowhere")
    assert told.status == WRONG_USE and "IMPL=nowhere: there is no such folder" in told


def test_a_port_that_is_taken_or_is_none(project):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = project.kata("serve", "--port", port)
        assert told.status == WRONG_USE and f"port {port} cannot be had" in told and "PORT=8001" in told
    assert project.kata("serve", "--port", "99999").status == WRONG_USE


def test_the_socket_says_that_it_is_tcp():
    """Or asyncio leaves Nagle's algorithm on: each first piece of a stream would wait 40 ms behind its headers."""
    with _bind(0, Look()) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_step_that_is_not_written_or_cannot_be_read(project):
    project.write(6, 'def step_6(x):\n    raise NotImplementedError("TODO 6: add 6")\n')
    told = project.kata("serve")
    assert told.status == NOT_SOLVED
    assert "cached needs step 6, which is not written yet: exercises/step_06_streaming.py, line 2" in told
    project.write(6, "def step_6(:\n")
    told = project.kata("serve")
    assert told.status == CANNOT_LOAD and "exercises/step_06_streaming.py, line 1" in told
    project.solve(6)


def test_a_jump_lends_the_references_steps_to_the_server_too(project):
    project.kata("jump", "7")
    project.write(2, "def step_2(:\n")
    told = project.kata("serve", "--port", "99999")
    project.kata("jump", "1")
    project.write(2, right(2))
    assert told.status == WRONG_USE and "the reference stands in" in told and "port 99999" in told


@pytest.mark.timeout(120)
def test_the_reference_is_served_until_it_is_interrupted():
    environment = {**os.environ, "KATA_PYTHON": sys.executable, "COLUMNS": "100"}
    command = [sys.executable, "-m", "kata", "serve", "--impl", "reference", "--port", "0"]
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        lines = [server.stdout.readline() for _ in range(2)]
        address = re.search(r"http://127\.0\.0\.1:\d+", lines[-1])[0]
        curl = "".join(server.stdout.readline() for _ in range(5))
        assert f"curl {address}/health" in curl and f"curl -N {address}/stream" in curl
        with urllib.request.urlopen(f"{address}/health") as response:
            assert response.status == 200
        body = json.dumps({"prompt": "Hello", "max_new_tokens": 4}).encode()
        texts = []
        for path in ("generate", "stream"):
            request = urllib.request.Request(f"{address}/{path}", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as response:
                texts.append(response.read().decode())
        assert json.loads(texts[0])["text"] == texts[1]
    finally:
        server.send_signal(signal.SIGINT) if sys.platform != "win32" else server.terminate()
        said, _ = server.communicate(timeout=30)
    assert "Traceback" not in said
    if sys.platform != "win32":
        assert server.returncode == 0 and "stopped" in said
