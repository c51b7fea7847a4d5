# The request log of an agent.

requests-title = Requests of { $agent }
requests-no-log = The operator of this service keeps no request log.
requests-about =
    { $days ->
        [one] The last day. The log never contains what was sent or answered, nor which user it was about.
       *[other] The last { $days } days. The log never contains what was sent or answered, nor which user it was about.
    }
requests-routes = By route
requests-none = No requests.
requests-route = Route
requests-count = Requests
requests-errors = Errors
requests-half = Half within
requests-most = { $share }% within
requests-times-about = Times are measured in the server, without the network, and rounded up by a quarter at most.
requests-no-errors = No request was refused or failed.
requests-answer = Answer
requests-all = All requests, the newest first
requests-only-errors = Errors, the newest first
requests-unlogged =
    { $count ->
        [one] One request is counted above but not listed here: there were too many at once.
       *[other] { $count } requests are counted above but not listed here: there were too many at once.
    }
requests-show-all = Show all requests
requests-show-errors = Show only errors
requests-csv = Download as CSV
requests-time = Time
requests-took = Took
requests-millis = { $millis } ms
requests-millis-exact = { $whole }.{ $hundredths } ms
requests-id = Request id
requests-newest = Newest
requests-older = Older
