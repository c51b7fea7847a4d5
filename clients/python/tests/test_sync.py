"""The client for programs without asyncio: threads, forks, and the end of a program."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from fake import BASE, ENRICHED, KEY, KNOWN, LEARNED, Answer, Fake, failure

from ctxmem import Access, ApiError, Client, Stats

FOLDER = Path(__file__).parent


def client(*answers: object, **settings: object) -> Client:
    fake = answers[0] if isinstance(answers[0], Fake) else Fake(*answers)
    return Client("http://memory.test", KEY, transport=fake, **settings)  # type: ignore[arg-type]


def test_a_turn() -> None:
    fake = Fake(Answer(ENRICHED), Answer(LEARNED))
    with client(fake) as memory:
        with memory.turn("ada", BASE, "Hi") as turn:
            assert (turn.prompt, turn.access) == (ENRICHED["injectedPrompt"], Access.GRANTED)
            assert turn.finish("Hello")
        assert memory.flush() == Stats(accepted=1, sent=1)
    assert fake.bodies[1]["agentResponse"] == "Hello"


def test_calls_return_and_raise_as_those_of_the_other_client() -> None:
    with client(Answer(ENRICHED), Answer(LEARNED), failure(403, "FORBIDDEN")) as memory:
        assert memory.inject("ada", BASE).context == KNOWN
        assert memory.update("ada", "Hi", "Hello").updated
        with pytest.raises(ApiError):
            memory.context("ada")


def test_the_deadline_holds() -> None:
    with client(Answer(ENRICHED, after=60)) as memory:
        began = time.monotonic()
        assert memory.inject_or_base("ada", BASE).fallback
        assert 0.75 < time.monotonic() - began < 1.4


def test_threads_share_it() -> None:
    fake = Fake(lambda request: Answer(ENRICHED if b"basePrompt" in request.content else LEARNED, after=0.02))
    with client(fake) as memory:

        def turns(user: str) -> None:
            for n in range(5):
                with memory.turn(user, BASE, str(n)) as turn:
                    assert turn.system.context
                    turn.finish("Ok")

        threads = [threading.Thread(target=turns, args=(str(n),)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert memory.close() == Stats(accepted=100, sent=100)
    for user in range(20):
        sent = [body["userMessage"] for body in fake.bodies if body["userId"] == str(user) and "agentResponse" in body]
        assert sent == list("01234")


def test_after_the_end_prompts_are_your_own() -> None:
    memory = client(Answer(ENRICHED))
    before = threading.active_count()
    memory.inject("ada", BASE)
    memory.close()
    assert threading.active_count() == before
    with memory.turn("ada", BASE, "Hi") as turn:
        assert turn.prompt == BASE
        assert not turn.finish("Hello")
    memory.close()


PROGRAM = """
    import os, sys
    sys.path.insert(0, sys.argv[1])
    from fake import ENRICHED, LEARNED, BASE, KEY, Answer, Fake
    from ctxmem import Client
    results = []
    def show(result):
        print(os.getpid() == parent, result.outcome, result.idempotency_key, flush=True)
    parent = os.getpid()
    fake = Fake(lambda request: Answer(LEARNED, after=AFTER))
    memory = Client("http://memory.test", KEY, transport=fake, on_result=show)
"""


def program(text: str, after: float) -> list[list[str]]:
    source = textwrap.dedent(PROGRAM).replace("AFTER", str(after)) + textwrap.dedent(text)
    done = subprocess.run([sys.executable, "-c", source, str(FOLDER)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_a_program_that_ends_without_close_sends_its_last_updates() -> None:
    lines = program("memory.update_later('ada', 'Hi', 'Ok')", after=0.3)
    assert [line[:2] for line in lines] == [["True", "sent"]]


def test_what_cannot_be_sent_at_the_end_is_reported() -> None:
    began = time.monotonic()
    lines = program("memory.update_later('ada', 'Hi', 'Ok')", after=60)
    assert [line[:2] for line in lines] == [["True", "dropped"]]
    assert time.monotonic() - began < 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_queue_of_its_own() -> None:
    lines = program(
        """
        memory.update_later('ada', 'Hi', 'Ok')
        if os.fork() == 0:
            memory.update_later('bob', 'Hi', 'Ok')
            memory.close()
            os._exit(0)
        os.wait()
        memory.close()
        """,
        after=0.3,
    )
    assert sorted(line[:2] for line in lines) == [["False", "sent"], ["True", "sent"]]
    assert len({line[2] for line in lines}) == 2, "nothing is sent twice"
