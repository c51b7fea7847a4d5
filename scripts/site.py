"""For site.sh: leads links that leave docs/ to GitHub, and finds those of the finished site that lead nowhere.

    site.py                as a preprocessor of mdBook: takes the book as JSON, and prints it
    site.py check SITE     checks each link and anchor of the pages below SITE
"""

import json
import os.path
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/ctxmem/ctxmem/"
FENCED = re.compile(r"(^ *```.*?^ *```)", re.DOTALL | re.MULTILINE)


def outward(text: str, folder: str) -> str:
    """The text of a page in this folder of docs/, with links to what the site has not as links to GitHub."""

    def lead(link: re.Match) -> str:
        path = os.path.normpath(os.path.join("docs", folder, link[1]))
        if path.startswith("docs/") and path != "docs/SUMMARY.md":
            return link[0]
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"]({REPOSITORY}{kind}/main/{path}{link[2] or ''})"

    parts = FENCED.split(text)
    parts[::2] = [re.sub(r"\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)", lead, part) for part in parts[::2]]
    return "".join(parts)


def rewrite(items: list) -> None:
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            chapter = item["Chapter"]
            chapter["content"] = outward(chapter["content"], os.path.dirname(chapter["source_path"]))
            rewrite(chapter["sub_items"])


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list) -> None:
        named = dict(attributes)
        self.anchors.add(named.get("id"))
        self.links += [named[name] for name in ("href", "src") if named.get(name)]


def check(site: Path) -> int:
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    documents = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    pages_of = [path.with_name("index.md") if path.name == "README.md" else path for path in documents]
    broken = [f"docs/SUMMARY.md lacks {path}" for path in pages_of
              if path.name != "SUMMARY.md" and (site / path).with_suffix(".html").resolve() not in pages]
    links = 0
    for path, page in pages.items():
        for link in page.links:
            where, _, anchor = link.partition("#")
            if ours := re.match(REPOSITORY + "(?:blob|tree|edit)/main/", where):
                is_there = (ROOT / unquote(where[ours.end():])).exists()
            elif ":" in where:
                continue
            else:
                target = (path.parent / unquote(where)).resolve() if where else path
                known = pages.get(target)
                is_there = unquote(anchor) in known.anchors if known else target.is_file() and not anchor
            links += 1
            if not is_there:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    print(f"{len(pages)} pages, {links} links", *sorted(set(broken)), sep="\nbroken: ")
    return 1 if broken or links < 1000 else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    if sys.argv[1:2] == ["check"]:
        sys.exit(check(Path(sys.argv[2])))
    _, book = json.load(sys.stdin)
    rewrite(book["items"])
    json.dump(book, sys.stdout)
