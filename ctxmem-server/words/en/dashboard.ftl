# The dashboard: its frame, the list of agents, the charts, and what a form has just done.

dashboard-nav = Dashboard
dashboard-agents = Agents
dashboard-playground = Playground
dashboard-team = Team
dashboard-settings = Settings
dashboard-who = Signed in as { $developer }

dashboard-title = Your agents
dashboard-none = You have no agents yet. Create one below. You get a key and programs to start from.
dashboard-table = Table of agents
dashboard-agent = Agent
dashboard-users = Users who grant access
dashboard-live-keys = Live keys
dashboard-updates = Updates this month
dashboard-of-quota = { $updates } of { $quota }
dashboard-create = Create an agent
dashboard-name = Name
dashboard-name-hint = Users see it when they decide about access.
dashboard-create-do = Create the agent and its first key
dashboard-usage = All agents, the last 30 days
dashboard-usage-about = By day in UTC, including agents that you deleted. The newest calls show up within a minute.
dashboard-csv = Download as CSV
dashboard-quota-used = { $agent } has used all { $quota } updates of this month. Until the month ends (UTC), nothing more is learned.
dashboard-quota-alert = { $agent } has used { $updates } of the { $quota } updates of this month ({ $share }%). When all are used, nothing more is learned until the month ends (UTC).

# The scopes of a key.
key-scopes = Scopes of the key
key-scopes-about = An agent can use a scope only if its key allows it and the user grants it. Request only what you need.
key-scopes-all = all scopes
key-scope-general = name, location, time zone
key-scope-communication-style = how the user wants replies
key-scope-preferences = tools, environment, workflow
key-scope-knowledge = skills, languages, frameworks
key-scope-relationships = named people
key-scope-history = decisions and completed actions
key-scope-goals = projects, tasks, deadlines

# The charts.
chart-injects = Injects
chart-injects-about = requests for a prompt
chart-updates = Updates
chart-updates-about = turns that were learned from
chart-filtered = Filtered
chart-filtered-about = turns that can’t contain a fact
chart-denied = Denied
chart-denied-about = no grant, a scope that isn’t granted, or the quota used up
chart-errors = Errors
chart-errors-about = calls that failed
chart-in-numbers = { $title } in numbers
chart-day = Day
chart-bar = { $day }: { $numbers }
chart-part = { $title } { $count }
chart-tenth = { $whole }.{ $tenth }{ $unit }
chart-calls = Calls
chart-empty = No calls in these days yet.
chart-times = Response times in milliseconds
chart-half = Median
chart-half-about = one of two calls of a day
chart-most = 95th percentile
chart-most-about = nearly all calls of a day
chart-all-agents = All agents
chart-days = Days
chart-last-days = Last { $days } days
chart-show = Show
chart-times-in-words = { $title } per day, { $first } to { $last }: 95 of 100 within { $most } ms at most, on { $day }
chart-no-days = { $title }: no days
chart-nothing = { $title } per day, { $first } to { $last }: none
chart-in-words = { $title } per day, { $first } to { $last }: { $total } in all, at most { $most } on { $day }

# What a form has just done.
done-agent-renamed = The agent has its new name.
done-agent-deleted = The agent is deleted. Its keys have stopped working. Users still see its name.
done-key-revoked = The key is revoked. Requests with it are refused from now on.
done-password-changed = The password is changed. You are signed out in every other browser.
done-second-factor-off = The second factor is off. Your recovery codes no longer work.
done-test-user-erased = The test user is erased, with everything stored about it.
done-profile-saved = Saved. Users see it when they decide about this agent.
done-invitation-withdrawn = The invitation is withdrawn. Its link no longer works.
done-member-removed = The member is removed and signed out everywhere. Keys that they created keep working: replace those that they may have copied.
done-team-handed-over = The team has a new owner. You are a member of it now.
