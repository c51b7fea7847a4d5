"""A person in a browser, for tests: signs in by a link, and lets in the program that asks at the address given."""

import html
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar


def main() -> None:
    address = sys.argv[1]
    server = os.environ["CTXMEM_BASE_URL"]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    try:
        browser.open(address)
    except urllib.error.HTTPError as asked:
        assert asked.code == 401, asked.code
    command = [os.environ["CTXMEM_SERVER"], "user", "sign-in-link", "ada", "--public-url", server]
    link = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    token = re.search(r"token=(\w+)", link).group(1)
    form = urllib.parse.urlencode({"token": token}).encode()
    # It leads back to the page that asked for the sign-in.
    page = browser.open(f"{server}/sign-in", form).read().decode()
    form = re.search(r'<form method="post" action="/oauth/authorize">.*?</form>', page, re.DOTALL).group(0)
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    fields = [(name, html.unescape(value)) for name, value in hidden]
    fields += [("scope", scope) for scope in re.findall(r'name="scope" value="(\w+)"', form)]
    fields += [("until", "never"), ("decision", "allow")]
    browser.open(f"{server}/oauth/authorize", urllib.parse.urlencode(fields).encode())


if __name__ == "__main__":
    main()
