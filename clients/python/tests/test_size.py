"""The package stays small, and names what it exports."""

import ast
import io
import tokenize
from pathlib import Path

import ctxmem

SOURCE = Path(__file__).parents[1] / "src" / "ctxmem"


def code_lines(text: str) -> int:
    """Lines that hold code: no blank lines, comments and docstrings."""
    without = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in without:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        is_holder = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if is_holder and ast.get_docstring(node) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def test_the_package_has_at_most_900_lines_of_code() -> None:
    assert sum(code_lines(file.read_text("utf-8")) for file in SOURCE.glob("*.py")) <= 900


def test_adapters_have_at_most_60_lines() -> None:
    for file in (SOURCE / "adapters").glob("*.py"):
        assert len(file.read_text("utf-8").splitlines()) <= 60, file.name


def test_all_that_is_exported_is_there_and_documented() -> None:
    for name in ctxmem.__all__:
        assert name == "__version__" or getattr(ctxmem, name).__doc__, name


def test_versions_agree() -> None:
    project = (SOURCE.parents[1] / "pyproject.toml").read_text("utf-8") if (SOURCE.parents[1] / "pyproject.toml").exists() else ""
    assert not project or f'version = "{ctxmem.__version__}"' in project
