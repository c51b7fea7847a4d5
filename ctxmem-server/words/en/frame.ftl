# The frame of every page: what stands above and below it.

# The code of the language, for browsers.
frame-language = en
frame-skip = Skip to the content
frame-about = Memory for AI that belongs to the people it is about.
frame-about-link = About this memory
frame-copied = Copied
frame-copy-by-hand = Select it and copy it by hand

# Several pages.
frame-sign-out = Sign out
frame-overview = Go to the home page
frame-cancel = Cancel
frame-not-saved = Not saved. Fix the field below.
# The title of a page that reports a mistake.
frame-error-title = Error: { $title }
