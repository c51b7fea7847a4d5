"""The README's programs run as pasted, each on a server of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from service import Server

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
# Where the package is installed and nothing else, if the caller has such a place.
PYTHON = os.environ.get("CTXMEM_PYTHON", sys.executable)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_readme_runs_as_pasted(number: int, tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        done = subprocess.run(
            [PYTHON, "-W", "error", "-c", PROGRAMS[number]],
            env={"PATH": os.environ["PATH"], "CTXMEM_BASE_URL": server.url, "CTXMEM_API_KEY": server.key},
            cwd=tmp_path, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    finally:
        server.stop()
    assert (done.returncode, done.stderr) == (0, "")
    assert "without memory" not in done.stdout
    expected = ["You said: I moved to Lisbon. How do I get a tram pass?", "preferences editor Helix", ""]
    assert expected[number] in done.stdout


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == 3
