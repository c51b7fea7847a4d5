"""Speed beside mem0, where a model costs nothing: see bench.sh. Prints Markdown, and fails if any call does."""

import concurrent.futures, contextlib, functools, http.client, http.server, importlib.metadata, json, logging, math
import multiprocessing, os, pathlib, platform, re, subprocess, sys, tempfile, threading, time, zlib
from collections import Counter

NAMES = "Ines Tomas Ada Pavel Noor Greta Hugo Leila Marek Yuki".split()
TOWNS = "Leeds Porto Ghent Turin Krakow Malmo Graz Lyon Bilbao Cork".split()
FOODS = "walnuts celery sesame mustard shrimp lentils mango garlic ginger basil".split()
TURNS = [  # What a user says, what is asked later, and the words one of which is to be recalled.
    ("My sister {} moved away in May for her new job as a vet.", "What do you know about my sister?", NAMES),
    ("I live in {} and work from home on Fridays.", "Which town do I live in?", TOWNS),
    ("I am allergic to {}, so I read every label.", "What am I allergic to?", FOODS),
    ("My boss {} wants the sales report every Monday morning.", "Who wants my report on Monday?", NAMES),
    ("I am training for the half marathon in {} next spring.", "Where is the half marathon?", TOWNS),
    ("My daughter {} started school this year and loves drawing.", "What is my daughter called?", NAMES),
    ("I really like cooking with {} on weekends.", "What do I like cooking with?", FOODS),
    ("We named our dog {} after my grandfather.", "What is the name of our dog?", NAMES),
    ("My parents still live in {} with three cats.", "Where do my parents live?", TOWNS),
    ("My husband can't stand {} in a salad.", "What can my husband not stand in a salad?", FOODS),
]


def turns(group):
    """Ten messages of each of 20 users: (user, message, question, word)."""
    return [(f"{group}-{user}", said.format(word), asked, word) for number, (said, asked, words) in enumerate(TURNS)
            for user in range(20) for word in [words[(user + number) % len(words)]]]


@functools.cache
def embedding(text):
    """As JSON. Each word has a dimension, so that texts that share words are near."""
    values = [0.0] * 1536
    for word in re.findall(r"\w+", text.lower()):
        values[zlib.crc32(word.encode()) % len(values)] += 1
    length = math.hypot(*values) or 1
    return json.dumps([round(value / length, 6) for value in values])


class Fake(http.server.BaseHTTPRequestHandler):
    """A model that takes no time. The user's message is the one fact. Calls are counted by path, one for each side."""

    protocol_version, disable_nagle_algorithm, counts = "HTTP/1.1", True, Counter()
    log_message = lambda *_: None

    def do_GET(self):
        self.answer(json.dumps(self.counts))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.counts[self.path] += 1
        usage = '"model": "fake", "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}'
        if self.path.endswith("/embeddings"):
            data = ", ".join(f'{{"object": "embedding", "index": {at}, "embedding": {embedding(text)}}}'
                             for at, text in enumerate(body["input"]))
            return self.answer(f'{{"object": "list", {usage}, "data": [{data}]}}')
        asked = body["messages"][-1]["content"]
        if self.path.startswith("/mem0/"):
            said = re.search(r"## New Messages\nuser: (.*)", asked)[1]
            facts = {"memory": [{"id": "0", "text": said, "attributed_to": "user"}]}
        else:
            said = json.loads(asked.split("\n")[1])["user"]
            fact = {"scope": "knowledge", "key": "", "value": said, "op": "set", "known": 0, "was": "", "quote": said}
            facts = {"facts": [fact]}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(facts)}}
        choices = f'"choices": [{json.dumps(choice)}]'
        self.answer(f'{{"id": "1", "object": "chat.completion", "created": 0, {usage}, {choices}}}')

    def answer(self, body):
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        self.wfile.write(f"{head}{len(body)}\r\n\r\n{body}".encode())


def client(port, key=""):
    """Asks a port of this machine for JSON, over one connection for each thread."""
    local, headers = threading.local(), {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(path, body=None):
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        local.connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
        answer = local.connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {text}")
        return json.loads(text)
    return call


def mem0(folder, models):
    """As ctxmem(): the path under which it asks the model, and how it learns and recalls."""
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder, NO_PROXY="127.0.0.1")
    os.environ.pop("OPENROUTER_API_KEY", None)  # mem0 would send everything there.
    from mem0 import Memory  # It reads its environment when it is imported.
    model = {"model": "fake", "api_key": "none", "openai_base_url": f"{models}/mem0/v1"}
    memory = Memory.from_config({
        "llm": {"provider": "openai", "config": model}, "embedder": {"provider": "openai", "config": model},
        "vector_store": {"provider": "chroma", "config": {"path": f"{folder}/chroma"}},
        "history_db_path": f"{folder}/history.db"})

    def fail(record):
        raise RuntimeError(record.getMessage())
    logging.getLogger("mem0.memory.main").addFilter(fail)  # What fails within a call is often only logged.

    def learn(user, said):
        messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
        if not memory.add(messages, user_id=user)["results"]:
            raise RuntimeError(f"mem0 did not learn: {said}")
    return "mem0", learn, lambda user, asked: " ".join(
        found["memory"] for found in memory.search(asked, filters={"user_id": user})["results"])


def ctxmem(folder, server, closing, *options):
    database = ["--database-url", f"sqlite://{folder}/{len(options)}.db"]
    run = [server, *database, "--listen", "127.0.0.1:0", "--rate-limit", "0", "--demo", "off", "--log", "error"]
    process = closing.enter_context(subprocess.Popen([*run, *options], stdout=subprocess.PIPE, text=True))
    closing.callback(process.kill)
    port = int(process.stdout.readline().rpartition(":")[2])
    made = subprocess.check_output([server, "agent", "create", "--name", "Bench", "--json", *database])
    call, prompt = client(port, json.loads(made)["api_key"]), "You are a helpful assistant."
    return ("ctxmem" if options else "nobody", lambda user, said: call("/api/context/update", {
        "userId": user, "userMessage": said, "agentResponse": "Noted."}), lambda user, asked: call(
        "/api/context/inject", {"userId": user, "basePrompt": prompt, "message": asked})["injectedPrompt"])


def timed(call, *arguments):
    start = time.perf_counter()
    return call(*arguments), time.perf_counter() - start


def measure(calls, work, clients):
    """For each of the calls its answers with their times, and the seconds in all."""
    if clients == 1:  # In turns, so that whatever else the machine does meets all.
        rounds = [[timed(call, *one) for call in calls] for one in work]
        return [(answers, sum(seconds for _, seconds in answers)) for answers in zip(*rounds)]
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return [timed(lambda: list(pool.map(lambda one: timed(call, *one), work))) for call in calls]


def table(sides, fake):
    for _, learn, recall in sides.values():  # The first call opens connections and tables.
        learn("first", TURNS[0][0].format("Zoe"))
        recall("first", TURNS[0][1])
    print("| what | memory | median ms | p99 ms | calls/s | × mem0 | completions, embeddings a call | recalled |")
    print("|---" * 8 + "|")
    for clients, at, what in (1, 1, "learn"), (1, 2, "recall"), (8, 1, "learn"), (8, 2, "recall"):
        work, before = turns(f"of-{clients}"), fake("/")
        measured = measure([side[at] for side in sides.values()], [(turn[0], turn[at]) for turn in work], clients)
        for (name, (asks, *_)), (answers, seconds) in zip(sides.items(), measured):
            times, count = sorted(time * 1e3 for _, time in answers), len(answers)
            asked = [(fake("/").get(path, 0) - before.get(path, 0)) / count
                     for path in (f"/{asks}/v1/chat/completions", f"/{asks}/v1/embeddings")]
            share = ""
            if what == "recall":
                recalled = [turn[3].lower() in answer.lower() for turn, (answer, _) in zip(work, answers)]
                share = f"{sum(recalled) / count:.0%}"
                if not recalled[0]:
                    raise RuntimeError(f"{name} does not recall {work[0][3]}, which it was told: {answers[0][0]}")
            print(f"| {what}, {clients} at a time | {name} | {times[count // 2]:.1f} | {times[count * 99 // 100]:.1f} "
                  f"| {count / seconds:,.0f} | {measured[0][1] / seconds:.1f} | {asked[0]:g}, {asked[1]:g} | {share} |")


def main(server):
    names = [f"{name} {importlib.metadata.version(name)}" for name in ("mem0ai", "chromadb", "openai")]
    names = [subprocess.check_output([server, "--version"], text=True).strip(), *names]
    cpu = re.search(r"model name\s*: (.*)|$", pathlib.Path("/proc/cpuinfo").read_text())[1] or platform.machine()
    print(f"# Speed beside other memories\n\nBy `scripts/bench.sh peers`: {', '.join(names)}, "
          f"Python {platform.python_version()}; {cpu}, {os.cpu_count()} cores.\n")
    with contextlib.ExitStack() as closing:
        folder = closing.enter_context(tempfile.TemporaryDirectory())
        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
        # Its own process, or it would hold the lock of the interpreter in which mem0 runs.
        multiprocessing.get_context("fork").Process(target=listener.serve_forever, daemon=True).start()
        fake, models = client(listener.server_port), f"http://127.0.0.1:{listener.server_port}"
        model = ["--extractor", "model", "--model-url", f"{models}/ctxmem/v1", "--model-name", "fake"]
        table({"mem0": mem0(folder, models), "ctxmem, built-in extraction": ctxmem(folder, server, closing),
               "ctxmem, the model": ctxmem(folder, server, closing, *model)}, fake)
        text = {"input": [TURNS[0][0]]}
        alone = sorted(timed(fake, "/mem0/v1/embeddings", text)[1] * 1e3 for _ in range(100))[50]
    print(f"""
20 users say ten sentences each, and ask one question about each. × compares calls a second. Recalled: the word asked
for is in the answer, in ctxmem's block of all that it knows of the user, or among mem0's 20 best.

- Fairness: both ask the same fake model, which takes {alone:.1f} ms an embedding and less a completion. A real one takes
  far longer, and hides most of the difference in learning. mem0 searches by meaning, ctxmem by words. mem0 is a library
  in the client's process, ctxmem a service over HTTP with SQLite. The client is Python, whose lock limits 8 threads.
  mem0 has Chroma as its local store: its default, Qdrant's local mode, fails when several threads write. Its optional
  spaCy is left out.
- Memobase: not measured. PyPI has its client alone, and its server needs Docker images.
- Engram: not measured. Dozens of packages bear the name; Weaviate's and Lumetra's are clients of hosted services.""")


main(sys.argv[1])
