#!/usr/bin/env python3
"""Third-party notices, on stdout: what is compiled into a program, under which licence, and each licence's text once.

    scripts/notices.py --package ctxmem-server --features jemalloc

The texts are those that the packages contain, also of what they bundle, such as jemalloc and AWS-LC.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FILES = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)([-._].*)?$", re.I)
CODE = {".rs", ".py", ".sh", ".c", ".h", ".go", ".json", ".toml"}
TARGETS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
ROOT = Path(__file__).parent.parent


def cargo(*arguments: str) -> str:
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def texts(package: dict) -> list[str]:
    """What a package says of its licence; where it says nothing, the text of the licence that it names."""
    folder = Path(package["manifest_path"]).parent
    files = [it for it in sorted(folder.rglob("*")) if FILES.match(it.name) and it.is_file() and it.suffix not in CODE]
    if files:
        return [it.read_text(errors="replace").strip() for it in files]
    licence = package["license"] or ""
    if "Apache-2.0" in licence:
        return [(ROOT / "LICENSE-APACHE").read_text().strip()]
    if "MIT" in licence:
        holders = ", ".join(package["authors"]) or f"the authors of {package['name']}"
        mit = (ROOT / "LICENSE-MIT").read_text().strip()
        return [re.sub(r"Copyright .*", lambda _: f"Copyright (c) {holders}", mit, count=1)]
    sys.exit(f"notices.py: {package['name']} has no licence text ({licence})")


def same(text: str) -> str:
    """What two copies of a text have in common: neither breaks, nor how to apply the Apache licence."""
    head, appendix, tail = text.partition("APPENDIX: How to apply the Apache License")
    words = head if appendix and len(tail) < 2000 else text
    return re.sub(r"[\W_]+", " ", words.removesuffix("END OF TERMS AND CONDITIONS").casefold()).strip()


def main() -> None:
    arguments = sys.argv[1:]
    compiled = set()
    for target in TARGETS:
        tree = cargo("tree", *arguments, "--edges", "normal", "--target", target, "--prefix", "none", "--format", "{p}")
        compiled.update(tuple(line.split()[:2]) for line in tree.splitlines() if line)
    packages = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1"))["packages"]
    packages = [it for it in packages if it["source"] and (it["name"], f"v{it['version']}") in compiled]
    packages.sort(key=lambda it: (it["name"], it["version"]))

    print("What is compiled into ctxmem-server besides its own code (MIT OR Apache-2.0) and Rust's standard library")
    print("(MIT OR Apache-2.0), and SQLite, which is in the public domain. The texts follow.\n")
    users = defaultdict(list)
    shown = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"== {name}: {package['license'] or package['license_file']}")
        for text in texts(package):
            words = same(text)
            shown.setdefault(words, text)
            if name not in users[words]:
                users[words].append(name)
    for words, names in users.items():
        print(f"\n{'-' * 80}\n{', '.join(names)}:\n\n{shown[words]}")


main()
