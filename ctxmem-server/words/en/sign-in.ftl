# Signing in: links, the sign-in service, failures. The dashboard's own form stands here too.

sign-in-title = Sign in
sign-in-about-to = You are about to sign in as { $user }. This link works once.
sign-in-do = Sign in
sign-in-with = Sign in with { $service }
sign-in-operator = { $operator } runs this service.
sign-in-link-over = This link is no longer valid
sign-in-link-over-about = A sign-in link works once, and for 15 minutes. Ask for a new one where you got this one.
signed-out-title = You are not signed in
signed-out-asking = { $agent } asks for access to what is saved about you. Sign in to decide.
signed-out-about = Sign in to see which facts about you are stored and which apps can use them.
signed-out-link-too = If you were given a sign-in link, that works too.
signed-out-about-link = Open a sign-in link to see which facts about you are stored and which apps can use them. The operator of this service can make one.
signed-out-developers = Do you build agents? { $begin }Sign in to the dashboard{ $end }.

# Why a sign-in failed, and what to do.
sign-in-start = Back to the start
sign-in-not-begun = This sign-in can’t be completed
sign-in-not-begun-text = It was not started in this browser, was completed before, or took longer than ten minutes.
sign-in-not-begun-advice = Go back to the start and sign in again, in one browser. Your browser must accept cookies.
sign-in-denied = You were not signed in
sign-in-denied-text = The sign-in service ended this without signing you in.
sign-in-denied-advice = If you did not cancel it yourself, ask whoever runs your sign-in service whether you may use this one.
sign-in-unverified-text = What the sign-in service said about you could not be verified.
sign-in-again = Start again from here.
sign-in-unavailable = The sign-in service is not available
sign-in-unavailable-text = It did not answer in time.
sign-in-later = Nothing was changed. Try again in a minute. If that does not help, tell the operator of this service, who can find the cause in the log.
sign-in-bad-answer = The sign-in service gave an unexpected answer
sign-in-bad-answer-text = Its answer can’t be used.
sign-in-no-user = You can’t be signed in
sign-in-no-user-text = The sign-in service does not say which user you are: the claim “{ $claim }” is missing or can’t be a user id.
sign-in-no-user-advice = Show this text to the operator of this service, who can fix it.
sign-in-has-account = You did not join the team
sign-in-has-account-text = There is a developer account with your address already, and a person can be in one team only. The invitation can still be used.
sign-in-has-account-advice = Leave your other team first, or join with another address. To go on with the account that you have, sign in.
sign-in-no-developer = You can’t be signed in here
sign-in-no-developer-text = No developer of this service has an email address that the sign-in service has verified as yours.
sign-in-no-developer-advice = Ask the operator of this service for an account under the address that you signed in with.

# Developers.
developer-sign-in-title = Sign in to the dashboard
developer-sign-in-about = For people who build agents: agents, keys, usage, and a playground.
developer-email = Email address
developer-password = Password
developer-no-password = No password yet? The operator of this service can set one with { $command }. The developer created at the first start is { $first }.
developer-wrong = Incorrect email or password.
developer-too-many =
    { $seconds ->
        [one] Too many attempts with this address. Try again in one second.
       *[other] Too many attempts with this address. Try again in { $seconds } seconds.
    }
developer-too-many-codes =
    { $seconds ->
        [one] Too many attempts. Try again in one second.
       *[other] Too many attempts. Try again in { $seconds } seconds.
    }
developer-code-title = Enter the code
developer-code = Code
developer-code-hint = The six digits from your authenticator app, or one of your recovery codes.
developer-code-wrong = The code is wrong, or was used before.
developer-start-again = Start again
developer-lost-both = Lost both? The operator of this service can turn the second factor off with { $command }.
