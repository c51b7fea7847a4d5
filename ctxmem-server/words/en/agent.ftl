# The page of an agent.

agent-about = Agent { $id }, created { $when }
agent-updates-month = updates this month (UTC)
agent-updates-month-no-quota = updates this month (UTC); there is no quota
agent-quota-used = Updates used of this month’s quota
agent-users = users who grant it access now
agent-keys-live = keys that are live
agent-keys = Keys
agent-no-key = It has no key.
agent-keys-table = Table of keys
agent-key = Key
agent-key-scopes = Scopes
agent-key-created = Created
agent-key-last-used = Last used
agent-key-state = State
agent-key-replace = Replace
agent-key-replace-label = Replace key { $key }
agent-key-revoke = Revoke
agent-key-revoke-label = Revoke key { $key }
agent-key-try = Try
agent-key-try-label = Try key { $key }
agent-new-key = Create another key
agent-new-key-name = Name of the key
agent-new-key-name-hint = Optional, such as “production”. Only your team sees it.
agent-new-key-expires = Expires
agent-new-key-in =
    { $days ->
        [0] never
        [365] in a year
       *[other] in { $days } days
    }
agent-new-key-do = Create the key
agent-usage = The last 30 days
agent-usage-about = By day in UTC. The newest calls show up within a minute.
agent-requests = Request log: answers, errors and times
agent-name = Name
agent-name-hint = Users see it when they decide about access, and in their history.
agent-rename = Rename
agent-profile = What users are told
agent-profile-about = Users see this, your team’s address and the name when they decide about access, at { $page }.
agent-purpose = Purpose
agent-purpose-hint = What it is for, in a sentence.
agent-website = Website
agent-website-hint = A page about it.
agent-website-verified = { $host } confirms that this agent is its own; checked { $when }. Users see that beside the address. Saving checks again.
agent-website-unverified = Users see that nobody has checked this website. To have it checked, put the line { $line } into { $address } and save again.
agent-privacy = Privacy policy
agent-privacy-hint = What you do with what it reads.
agent-return = Return address
agent-return-hint = Where users go back to after they have decided: an https address, or one on localhost.
agent-needs = What it needs, and why
agent-needs-about = Users find these scopes ticked, with your reason beside each. Leave a reason empty for what the agent can do without.
agent-save = Save
agent-delete = Delete this agent
agent-delete-about = Its keys stop working immediately. This can’t be undone. Users keep what is stored about them and still see the agent’s name.
agent-delete-confirm = To confirm, type its name: { $agent }
agent-delete-do = Delete the agent
agent-not-deleted = That is not the agent’s name. Nothing was deleted.
