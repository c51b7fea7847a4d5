# The page of an error, and the page that gives a form back.

error-bad-request = This request can’t be carried out
error-bad-request-advice = Nothing was changed. Go back, correct what is named above, and send it again.
error-conflict = This has changed since you looked
error-conflict-advice = Nothing was changed. Look at the current state, then decide.
error-somebody-else-advice = Nothing was changed. The home page shows the account that is signed in now.
error-signed-out = You are not signed in
error-signed-out-advice = Nothing was changed. Sign in again. Sessions end after an hour without use, and after twelve hours at the latest.
error-forbidden = That is not allowed
error-forbidden-advice = Nothing was changed. If you followed a link from another site, open the page here and do it from there.
error-not-found = There is nothing here
error-not-found-advice = The address may be mistyped, or what was here is gone. The home page shows what there is now.
error-method = This page can’t do that
error-method-advice = Start from the home page.
error-too-large = That is more than this server accepts
error-too-large-advice = Nothing was changed. Send less at once.
error-too-many = Too many attempts
error-too-many-advice = Nothing was changed. Wait a minute, then try again.
error-ours = Something went wrong on our side
error-ours-advice = It may not have taken effect. Look at the home page, and try again in a moment.

# A form that comes back.
again-check = Check your entry
again-signed-out = Your session has ended
again-signed-out-text = Nothing was changed. What you typed is still here.
again-somebody-else = You are signed in as somebody else now
again-somebody-else-text = This form was made for another account, so nothing was changed.
again-sign-in-user = { $begin }Sign in again (opens a new tab){ $end }, or open a new sign-in link in this browser.
again-sign-in = { $begin }Sign in again (opens a new tab){ $end }.
again-come-back = Come back to this page and send the form again.
again-send = Send again
again-copy = Copy what you typed if you need it. To send it, sign in as the person it was for, and enter it there.
again-name = Name
again-label = Who is it for?
again-value = Fact
again-user = Test user
again-base-prompt = Base prompt
again-message = The user’s message
again-answer = The agent’s answer
again-scope = May read and write
again-expires-at = Until (date and time in UTC)
again-expires-at-local = Until (date and time)
again-expires-in = Expires after (days; empty: never)
again-confirm = Yes, I am sure
