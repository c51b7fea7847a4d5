# The page on which a user allows or refuses an agent.

consent-title = Allow { $agent }?
consent-heading = Allow { $agent } to use your memory?
consent-nothing-chosen = Not allowed yet. Choose at least one kind, or don’t allow it.
consent-who = Who asks
consent-agent-of = { $agent }, an agent of { $developer }
consent-no-profile = Its developer says nothing else about it: no purpose and no privacy policy.
consent-purpose = Purpose
consent-website = Website
consent-privacy = Privacy policy
consent-privacy-none = None given
consent-unchecked = The developer wrote this. This service has not checked it.
consent-has-access = It has access now. What you decide here replaces that.
consent-expired = It had access until it expired.
consent-refused = You refused it or ended its access before.
consent-no-access = It has no access now.
consent-asked-once = It asked once, { $first }.
consent-asked-often = It asked { $times } times, first { $first }, last { $last }.
consent-no-key = It has no key that could read or add anything, so there is nothing to allow.
consent-may = It may read and add
consent-how-long = For how long
consent-until-revoked = Until I revoke it
consent-days =
    { $days ->
        [one] 1 day
        [365] 1 year
       *[other] { $days } days
    }
consent-allow = Allow
consent-allow-label = Allow: { $agent }
consent-refuse = Don’t allow
consent-refuse-label = Don’t allow: { $agent }
consent-note = The agent may keep a copy of what it has already read. You can change or end its access at any time { $begin }in your account{ $end }.
