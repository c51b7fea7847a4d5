# The page of a key.

key-title = Key of { $agent }
key-title-new = New key of { $agent }
key-copy-now = Copy the key now. It is shown only this once, and only a hash of it is stored.
key-the-key = The key
key-copy = Copy the key
key-allows = Allows { $scopes }
key-allows-until = Allows { $scopes }; expires on { $when }
key-try = Try it
key-try-about = Set the environment first. Every program below reads the service’s address and the key from it.
key-copy-environment = Copy the environment
key-needs-curl = In a shell, with the environment set.
key-needs-rust = With the client for Rust, which also retries and never makes your agent wait.
key-needs-python = Plain HTTP: needs nothing but Python 3.
key-needs-typescript = Plain HTTP: needs nothing but a runtime with fetch, such as Node.js 18, Deno or Bun.
key-copy-program = Copy
key-copy-program-label = Copy: { $language }
key-stored = I have stored the key: go to the agent
key-key = Key
key-key-scopes = Scopes
key-state = State
key-created = Created
key-last-used = Last used
key-not-used = no use recorded yet
key-shown-once = The key itself was shown once, when it was created. If you don’t have it, replace it.
key-replace = Replace this key
key-replace-about = You get a new key with the same name and scopes. The old one keeps working for a while, so that you can switch your agent over.
key-old-stops = The old key stops working
key-immediately = immediately
key-in-an-hour = in an hour
key-in-a-day = in 24 hours
key-in-a-week = in 7 days
key-replace-do = Replace the key
key-revoke = Revoke this key
key-revoke-about = Requests with this key are refused immediately. This can’t be undone.
key-revoke-do = Revoke { $key }
key-back = Back to { $agent }

# The state of a key.
key-live = live
key-replaced = replaced
key-live-until = until { $when }
key-expired = expired
key-revoked = revoked
