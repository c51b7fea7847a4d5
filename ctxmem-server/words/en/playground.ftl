# The playground.

playground-title = Playground
playground-about = Call the interface with one of your keys, for a test user of your own. Its user id is always { $user }, so you can’t see what is stored about real people here. Calls count towards the rate limit, quota, usage and number of users like any others.
playground-no-key = You have no live key. { $begin }Create an agent or a key{ $end } first.
playground-result = Answer
playground-request = Request
playground-response = Response
playground-curl = The call as a curl command
playground-curl-about = It reads the key from { $variable }.
playground-curl-copy = Copy the command
playground-call = Call
playground-key = Key
playground-key-choice = { $agent }: { $prefix }… ({ $scopes })
playground-user = Test user
playground-inject-about = Inject: a prompt with what is known
playground-base-prompt = Base prompt
playground-inject = Inject
playground-update-about = Update: learn from a turn
playground-message = The user’s message
playground-answer = The agent’s answer
playground-update = Update
playground-calls = Your last calls
playground-calls-about = Kept for an hour at most.
playground-call-copy = Copy the command of call { $number }
playground-erase = Start over
playground-erase-about = Deletes everything stored about this test user, and the calls listed above. This can’t be undone.
playground-erase-do = Erase the test user
