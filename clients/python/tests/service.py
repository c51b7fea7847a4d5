"""The real server, started for tests, and a proxy that misbehaves between it and the client."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import pytest


def server_program() -> str:
    program = os.environ.get("CTXMEM_SERVER")
    if not program:
        pytest.skip("CTXMEM_SERVER names no server")
    return program


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Server:
    """A server on SQLite in a folder. It can be killed and started again."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.program, self.folder, self.arguments = server_program(), folder, arguments
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = f"sqlite://{folder}/ctxmem.db"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()
        made = subprocess.run(
            [self.program, "agent", "create", "--name", "Test", "--json", "--database-url", self.database],
            capture_output=True, check=True,
        )  # fmt: skip
        self.key = json.loads(made.stdout)["api_key"]

    def start(self) -> None:
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--listen", f"127.0.0.1:{self.port}", "--database-url", self.database, *self.arguments],
                stdout=log, stderr=log, cwd=self.folder,
            )  # fmt: skip
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(self.url + "/readyz", timeout=5):
                return
            time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


class Proxy:
    """Stands before a server: each answer is late by `delay` seconds, and some are cut off in the middle."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.delay = 0.0
        self.cuts = 0.0
        self._turn = 0.0
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._listener = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", self.port), self._loop
        ).result()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while request := await self._message(reader):
                upstream_reader, upstream = await asyncio.open_connection("127.0.0.1", self.server.port)
                upstream.write(request)
                answer = await self._message(upstream_reader)
                upstream.close()
                await asyncio.sleep(self.delay)
                # Evenly spread, so that a run is like the next.
                self._turn += self.cuts
                if self._turn >= 1:
                    self._turn -= 1
                    writer.write(answer[:-5])
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()

    @staticmethod
    async def _message(reader: asyncio.StreamReader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.decode("latin-1").split("\r\n"):
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return head + await reader.readexactly(length)

    def stop(self) -> None:
        self._listener.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
