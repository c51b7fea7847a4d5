//! Sentences about what one knows, speaks, learns or doesn't know, as patterns.

/// What a sentence says of the skills in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// Knows the tools.
    Knows,
    /// Works with what may be a mere tool, which is a preference then.
    Uses,
    /// Knows it for a time that is told: "ten years of C".
    KnowsFor,
    /// Speaks the languages.
    Speaks,
    /// How well one knows or speaks it.
    Level,
    /// Native tongue.
    Native,
    /// Is new to it.
    NewTo,
    /// Goes over to it.
    MovesTo,
    /// Has no experience with it.
    Without,
    /// Doesn't understand it.
    Mystery,
    /// Isn't good at something, known or not.
    Weak,
    /// Has no background in something.
    Lacks,
    /// Never learnt something.
    Never,
    /// Has a trade.
    Trade,
    /// Plays an instrument.
    Plays,
    /// Is learning it.
    Learns,
}

/// The sentences.
pub(super) const SENTENCES: &[(&str, Says)] = &[
    ("@we @know some|a|basic|enough? <tools>", Says::Knows),
    ("i|we know * way around|through <tools>", Says::Knows),
    ("@us have|has? started|begun <tools>", Says::Uses),
    (
        "i|we write|code|program|develop|script * in <tools>",
        Says::Knows,
    ),
    (
        "@we write|code|program|develop|script|do|build <tools>",
        Says::Uses,
    ),
    (
        "i am * good|great|experienced|fluent|proficient|comfortable|familiar|strong|skilled|confident|solid|handy|versed|well-versed|decent|okay|competent|adept|expert|experts|at|home at|in|with|on <tools>",
        Says::Knows,
    ),
    (
        "i am a|an * <tools> developer|dev|engineer|programmer|expert|guy|person|coder|specialist|admin|administrator|dba|architect|consultant|trainer|teacher|instructor|maintainer|contributor|nerd|analyst|veteran",
        Says::Knows,
    ),
    (
        "^ * <tools> developer|dev|engineer|programmer|person|coder|specialist|dba|consultant here|by|for|with?",
        Says::Knows,
    ),
    (
        "@us have|has * experience|background|expertise|skills|knowledge in|with|of <tools>",
        Says::Knows,
    ),
    (
        "i|we come|came from * <tools> background|world|land|side?",
        Says::Knows,
    ),
    (
        "my|our background|degree|training is in? <tools>",
        Says::Knows,
    ),
    (
        "@us have|has * worked|written|done|used|programmed|coded|shipped|built|released|taught|published|led|made in|with|on|using? <tools>",
        Says::Knows,
    ),
    (
        "i|we have? shipped|built|released|published|written * in|with|using <tools>",
        Says::Knows,
    ),
    ("@we work|works|worked * with|in <tools>", Says::Uses),
    (
        "@us am|are? developing|programming|coding|writing|building * in|with|on? <tools>",
        Says::Knows,
    ),
    (
        "my|our main|primary|strongest|best|first|day-to-day|weakest language|stack|languages is|are|would? be? <tools>",
        Says::Knows,
    ),
    (
        "my|our stack|tech|backend|frontend|api|app|service|site is|are|uses built|written|made|all? in|on|with? <tools>",
        Says::Uses,
    ),
    (
        "@we @know|@work|build|builds|contribute|contributes * to? <tools> library|libraries|package|packages|crate|crates|gem|gems|plugin|plugins|app|apps|services|sites|websites|games|drivers|extensions|bindings|code|contracts|packages",
        Says::Knows,
    ),
    (
        "^ most|half|all|much of my|our day|days|time|work|job|code is|goes * <tools>",
        Says::Knows,
    ),
    (
        "i|we do a|quite|lot|lots|bit|ton|bunch|fair|share of <tools>",
        Says::Knows,
    ),
    (
        "<tools> is|are my|our * strongest|main|best|first|primary|bread language|suit|and?",
        Says::Knows,
    ),
    ("i|we picked up <tools>", Says::Knows),
    (
        "i|we can read|write|code|program|understand|handle|hack * in|with? <tools>",
        Says::Knows,
    ),
    (
        "<tools> mostly|mainly|primarily|professionally , <tools> when|if|sometimes|occasionally|on",
        Says::Knows,
    ),
    (
        "^ <tools> mostly|mainly|primarily|professionally",
        Says::Knows,
    ),
    ("i do <tools> for|professionally|all|at|since", Says::Knows),
    (
        "^ <tools> on|for the? backend|frontend|server|client|side",
        Says::Uses,
    ),
    (
        "years|yrs|decades|decade of|in|with|doing|writing|using <tools>",
        Says::KnowsFor,
    ),
    (
        "@us have|has? done|written|used|known|programmed|coded|been|taught * <tools> for|since about|over|almost|nearly|like|more|roughly? <rest>",
        Says::KnowsFor,
    ),
    (
        "i|we did|wrote|used|taught|programmed|coded in? <tools> for <rest>",
        Says::KnowsFor,
    ),
    // spoken languages
    (
        "@we speak|speaks|understand|read|write|know * and? of? <tools>",
        Says::Speaks,
    ),
    (
        "@us am|are|is? fluent|native|conversational|bilingual|trilingual|proficient|raised in|with? <tools>",
        Says::Speaks,
    ),
    ("get|gets|getting by in|with <tools>", Says::Speaks),
    ("i speak <tools> and a bit|little of <tools>", Says::Speaks),
    (
        "i|we grew|was|were up|raised|brought up? speaking|with|in|on? <tools>",
        Says::Speaks,
    ),
    (
        "i|we did|had|got * school|schooling|studies|degree|university in <tools>",
        Says::Speaks,
    ),
    (
        "<tools> is my|our second|third|fourth|other|strongest language|tongue",
        Says::Speaks,
    ),
    ("my|our <tool> is|are <short>", Says::Level),
    (
        "my native|first|mother|home language|tongue is <tool>",
        Says::Native,
    ),
    (
        "<tool> is my|our native|first|mother language|tongue",
        Says::Native,
    ),
    ("my mothertongue is <tool>", Says::Native),
    ("i am a? native <tool> speaker?", Says::Native),
    (
        "is not my|our first|native|mother language|tongue , <tool> is",
        Says::Native,
    ),
    (
        "@we write * <tools> roles|playbooks|charts|modules|scripts|macros|queries|shaders|components",
        Says::Knows,
    ),
    ("^ as? a? native <tool> speaker", Says::Native),
    // beginnings
    (
        "i|we am|are * new|newcomer|beginner|newbie|novice|noob to|in|with|at <tools>",
        Says::NewTo,
    ),
    ("^ * new to <tools>", Says::NewTo),
    ("<tools> is|are * new|unfamiliar to|for me|us", Says::NewTo),
    (
        "^ * <tools> beginner|newbie|noob|novice|newcomer here?",
        Says::NewTo,
    ),
    (
        "i|we am|are? starting|started out? with|in <tools>",
        Says::NewTo,
    ),
    (
        "my|our first time|project|week|month|day|app with|in|using|doing <tools>",
        Says::NewTo,
    ),
    ("i|we am|are? getting|got into <tools>", Says::NewTo),
    ("@us am|are? @change.ing * to <tools>", Says::MovesTo),
    // lacks
    (
        "@us have|has? never ever|really|actually? touched|used|worked|tried|written|learned|learnt|done|seen|coded|programmed|built|opened|installed|deployed * with|in|on|to? <tools>",
        Says::Without,
    ),
    (
        "never touched|used|worked|tried|written|learned with|in? <tools>",
        Says::Without,
    ),
    (
        "i|we have not ever|yet|really? touched|used|worked|tried|written|learned|learnt|done with|in|on? <tools>",
        Says::Without,
    ),
    (
        "i|we do not know|speak|understand any|much? <tools>",
        Says::Without,
    ),
    ("i|we know nothing|little about|of <tools>", Says::Without),
    (
        "i|we can not write|read|speak|use|code|program|do in|with? <tools>",
        Says::Without,
    ),
    (
        "i|we have? got? no|zero|little|hardly|barely|limited * experience|background|clue|idea|knowledge|skills|exposure with|in|of|about|to|how? <tools>",
        Says::Without,
    ),
    (
        "no|zero|little|limited * <tools> experience|background|knowledge|skills",
        Says::Without,
    ),
    ("^ no|zero experience with|in|of <tools>", Says::Without),
    (
        "<tools> is|are|remains * mystery|magic|foreign|greek|alien|over|beyond",
        Says::Mystery,
    ),
    ("i|we do not * get|grok|understand <tools>", Says::Mystery),
    ("i can not code|program myself|at|to?", Says::Lacks),
    ("i have? got? no|zero|little formal? <short>", Says::Lacks),
    (
        "i|we am|are not * good|great|strong|comfortable|confident|fluent|familiar|versed|skilled|experienced at|in|with|on <short>",
        Says::Weak,
    ),
    (
        "i|we am|are bad|terrible|awful|hopeless|rubbish|weak|rusty|shaky|poor|useless at|in|with|on <short>",
        Says::Weak,
    ),
    ("still bad|terrible|hopeless|rubbish at <short>", Says::Weak),
    ("i struggle with <short>", Says::Weak),
    (
        "i always|keep|constantly mess|messing|forget|forgetting|confuse|confusing up? <short>",
        Says::Weak,
    ),
    (
        "^ it is the? <short> in? this|that|the? * that i|we mess|struggle|can|never|do|get|find",
        Says::Weak,
    ),
    (
        "never did|learned|learnt|studied|took any <rest>",
        Says::Never,
    ),
    // trades and arts
    ("@us have|has? been <rest>", Says::Trade),
    ("i can? play the <short>", Says::Plays),
    ("i can? * and play the <short>", Says::Plays),
    // learning
    (
        "@us am|are? learning|studying|picking up? <tools>",
        Says::Learns,
    ),
    (
        "i|we am|are? trying|starting to learn <tools>",
        Says::Learns,
    ),
    (
        "i|we am|are? teaching myself|ourselves <tools>",
        Says::Learns,
    ),
    (
        "@us have|has? started learning|to learn <tools>",
        Says::Learns,
    ),
    ("i|we want|plan|hope|intend to learn <tools>", Says::Learns),
];
