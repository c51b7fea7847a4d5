"""Two turns with a server, drawn and joined: see picture.sh. Only what the agent says stands in for a model."""

import html
import http.server
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from PIL import Image

SERVER, BROWSER, PICTURE = sys.argv[1:4]
WIDTH, HEIGHT = 960, 600
OWN_PROMPT = "You are a helpful assistant."
TURNS = [
    ("I'm Ada. I moved to Lisbon and I am vegetarian. How do I get a tram pass?",
     "Buy a Navegante card at any metro station and load a monthly pass."),
    ("Where could we eat tonight? My daughter is allergic to nuts.",
     "In Lisbon, with vegetarian dishes and nothing with nuts: let me look …"),
]

STYLE = """
* { box-sizing: border-box; margin: 0 }
body { font: 19px/1.4 'DejaVu Sans', sans-serif; color: #1c2024; width: 960px }
section { width: 960px; height: 600px; overflow: hidden; position: relative; background: #fbfaf7 }
h1 { font-size: 21px; line-height: 64px; padding-left: 28px; background: #175c4a; color: #fff; font-weight: normal }
h1 b { display: inline-block; width: 34px; line-height: 34px; border-radius: 17px; background: #fff; color: #175c4a;
  text-align: center; margin-right: 14px }
.chat { position: absolute; left: 28px; top: 88px; width: 336px }
.chat p { border-radius: 14px; padding: 12px 16px; margin-bottom: 14px }
.said { background: #dcece5; margin-left: 28px } .answer { background: #fff; border: 1px solid #d9d7d0; margin-right: 28px }
.chat small { display: block; color: #5c6166; font-size: 14px }
pre { position: absolute; left: 392px; top: 88px; width: 540px; height: 488px; border-radius: 12px; background: #14201d;
  color: #b9c7c1; padding: 20px 22px; font: 17px/1.5 'DejaVu Sans Mono', monospace; white-space: pre-wrap }
pre b { color: #fff } pre i { font-style: normal; color: #7fe0b8 }
.window { position: absolute; left: 28px; top: 84px; width: 904px; height: 540px; border: 1px solid #c9c7c0;
  border-radius: 12px; overflow: hidden; background: #fff }
.address { background: #ece9e1; line-height: 40px; padding-left: 20px; font-size: 16px; color: #5c6166 }
iframe { position: absolute; left: 0; border: 0; width: 904px; height: 1800px }
"""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Memory:
    """A server on an empty folder, and Ada signed in to it."""

    def __init__(self, folder: str) -> None:
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        command = [SERVER, "--listen", f"127.0.0.1:{port}", "--demo", "off"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        printed = ""
        while not (found := re.search(r"agent .*, (\S+)\n.*(ctxm_\w+)", printed)):
            printed += self.process.stdout.readline()
        self.key, self.folder = found[2], folder
        self.command("agent", "rename", "--agent", found[1], "--name", "Concierge")
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def command(self, *arguments: str) -> str:
        return subprocess.run([SERVER, *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def call(self, name: str, **fields: str) -> dict:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        body = json.dumps({"userId": "ada"} | fields).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.address}/api/context/{name}", body, headers)) as answer:
            return json.load(answer)

    def post(self, path: str, **fields: str) -> None:
        self.opener.open(self.address + path, urllib.parse.urlencode(fields).encode())

    def sign_in(self) -> None:
        self.post("/sign-in", token=re.search(r"token=(\S+)", self.command("user", "sign-in-link", "ada"))[1])


def learned(answer: dict) -> list[str]:
    """The facts that an update's answer names, a line each."""
    lines = []
    for scope, facts in answer["delta"].items():
        named = facts.items() if isinstance(facts, dict) else ((scope, fact) for fact in facts)
        lines += [f"+ {name}: {fact['value']}" for name, fact in named]
    return lines


def story(memory: Memory) -> list[tuple[str, int]]:
    """What is seen, and for how many milliseconds."""
    frames, chat = [], []

    def show(number: int, caption: str, calls: str, duration: int) -> None:
        bubbles = "".join(f"<p class={who}><small>{name}</small>{html.escape(text)}</p>" for who, name, text in chat)
        frames.append((f"<h1><b>{number}</b>{caption}</h1><div class=chat>{bubbles}</div><pre>{calls}</pre>", duration))

    def say(number: int, caption: str, calls: str, said: str) -> None:
        words = said.split()
        for end in range(2, len(words) + 2, 2):
            chat.append(("said", "Ada", " ".join(words[:end])))
            show(number, caption, calls, 160 if end < len(words) else 700)
            chat.pop()
        chat.append(("said", "Ada", said))

    for number, (said, answered) in enumerate(TURNS, 1):
        caption = ["A turn: update learns from it", "The next turn: the prompt knows it"][number - 1]
        chat.clear()
        say(number, caption, "", said)
        prompt = memory.call("inject", basePrompt=OWN_PROMPT, userMessage=said)["injectedPrompt"]
        calls = "<b>inject</b> → the system prompt\n\n" + re.sub("(?m)^- .*$", r"<i>\g<0></i>", html.escape(prompt))
        show(number, caption, calls, 1200 if number == 1 else 3800)
        chat.append(("answer", "Concierge, an agent", answered))
        show(number, caption, calls, 1600)
        lines = learned(memory.call("update", userMessage=said, agentResponse=answered))
        calls += "\n\n<b>update</b> → what was learned\n\n"
        for line in lines:
            calls += f"<i>{html.escape(line)}</i>\n"
            show(number, caption, calls, 700 if line != lines[-1] else 2600)
    memory.sign_in()
    memory.post("/account/access-seen")
    for path, caption, scrolled, duration in [
        ("/account", "Ada’s own page: who has access", 0, 2800),
        ("/account", "How much agents know, and a pause for all of them", 505, 2800),
        ("/account/facts", "Each fact with who saved it, to correct or delete", 0, 3600),
    ]:
        window = f"<div class=window><iframe src={path} style='top:{40 - scrolled}px'></iframe>"
        window += f"<div class=address style='position:relative'>http://127.0.0.1:8080{path}</div></div>"
        frames.append((f"<h1><b>3</b>{caption}</h1>{window}", duration))
    return frames


def photograph(memory: Memory, frames: list[tuple[str, int]], folder: str) -> list[Image.Image]:
    """All frames below each other on one page, beside the pages of the signed-in person, in one picture."""
    page = "<!doctype html><meta charset=utf-8><style>" + STYLE + "</style>"
    page += "".join(f"<section>{frame}</section>" for frame, _ in frames)

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = "text/html", page.encode()
            if self.path != "/frames":
                # Without the headers that forbid frames.
                with memory.opener.open(memory.address + self.path) as answer:
                    kind, body = answer.headers["content-type"], answer.read()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    shot = f"{folder}/frames.png"
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={shot}"]
    command += [f"--window-size={WIDTH},{HEIGHT * len(frames)}", f"http://127.0.0.1:{pages.server_port}/frames"]
    subprocess.run(command, check=True, capture_output=True)
    whole = Image.open(shot).convert("RGB")
    return [whole.crop((0, top, WIDTH, top + HEIGHT)) for top in range(0, whole.height, HEIGHT)]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(folder)
        try:
            frames = story(memory)
            images = photograph(memory, frames, folder)
        finally:
            memory.process.terminate()
            memory.process.wait()
    durations = [duration for _, duration in frames]
    options = {"save_all": True, "append_images": images[1:], "duration": durations, "loop": 0}
    images[0].save(PICTURE, lossless=True, quality=100, method=6, **options)
    seen = pathlib.Path(PICTURE).stat().st_size
    assert seen < 400_000, f"{seen} bytes are too many for a page"
    if len(sys.argv) > 4:
        for number, image in enumerate(images):
            image.save(f"{sys.argv[4]}/{number:02}.png")


if __name__ == "__main__":
    main()
