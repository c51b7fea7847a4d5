//! Sentences about what one works with, as patterns.

/// What a sentence says of the tools in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// Uses them.
    Uses,
    /// Works that way, where that is a preference.
    Prefers,
    /// What the user is or does, where that says how they live and work.
    Habit,
    /// The second replaced the first.
    FromTo,
    /// The first was given up for the second.
    ForTo,
    /// Gave the tools up.
    GaveUp,
    /// Doesn't want it.
    Avoids,
    /// A named slot holds something.
    Slot,
    /// Something holds a named slot.
    SlotOf,
    /// Uses something unknown for a purpose.
    UsesFor,
    /// Does something known with something unknown.
    DoesIn,
    /// Deploys to something unknown.
    DeploysTo,
    /// Doesn't eat something.
    Abstains,
    /// Cannot eat something.
    Allergic,
    /// One thing rather than another.
    Rather,
    /// Something at fixed times.
    Schedule,
    /// Nothing at certain times.
    Never,
}

/// What is used.
pub(super) const USE: &[(&str, Says)] = &[
    ("@we @use|have <tools>", Says::Uses),
    (
        "@us have|has? adopted|embraced|introduced <tools>",
        Says::Uses,
    ),
    ("@us have|has? @settle.ed on|upon <tools>", Says::Uses),
    ("@us go|goes|went|going with|for <tools>", Says::Uses),
    (
        "@us stick|sticks|stuck|sticking|keep|kept|default|defaults|defaulting to|with <tools>",
        Says::Uses,
    ),
    ("@we swear|swears|live|lives by|in <tools>", Says::Uses),
    (
        "@we rely|relies|depend|depends|bet|standardise on <tools>",
        Says::Uses,
    ),
    ("@we reach|reaches for <tools>", Says::Uses),
    ("@us can not live without <tools>", Says::Uses),
    (
        "@we prefer|like using|to use|working|work in|with|on? <tools>",
        Says::Uses,
    ),
    ("@us am|are|is? using|running|rocking <tools>", Says::Uses),
    (
        "@us am|are|is|stay|stayed into|on|with|back on? <tools>",
        Says::Uses,
    ),
    (
        "i|we am|are happy|satisfied|content with|on <tools>",
        Says::Uses,
    ),
    ("i|we am|are * on|using|running <tools>", Says::Uses),
    (
        "@us have|has? been * using|on|with|running|in <tools>",
        Says::Uses,
    ),
    ("@us have|has? been @work.ing|@use.ing <tools>", Says::Uses),
    ("@us have|has used|run <tools> for|since", Says::Uses),
    ("^ on <tools> $", Says::Uses),
    ("^ on <tools> btw|here|at|since|too|atm|myself", Says::Uses),
    (
        "^ <tools> user|person|fan|guy|girl|convert here?",
        Says::Uses,
    ),
    (
        "^ it|this is <tools> for|now|these|here|everywhere",
        Says::Uses,
    ),
    (
        "^ <tools> now|everywhere|always|throughout $",
        Says::Prefers,
    ),
    ("^ <tools> for life|everything|ages|years", Says::Prefers),
    ("^ <tools> , not|no|never <rest>", Says::Prefers),
    ("i meant|mean <tools>", Says::Prefers),
    (
        "i am a|an|strictly|mostly|more|big|die-hard|longtime|long-time * <tools> user|person|fan|guy|girl|addict|convert",
        Says::Uses,
    ),
    (
        "@us am|are|is a|an * <tools> shop|house|household|team|company|office|business",
        Says::Uses,
    ),
    ("i|we have? started using|with|on <tools>", Says::Uses),
    ("@we dual-boot|dual <tools>", Says::Uses),
    // done with it
    (
        "@we @work * in|with|using|via|through|inside|over <tools>",
        Says::Uses,
    ),
    (
        "@we @deploy * in|on|to|with|via|using|behind <tools>",
        Says::Uses,
    ),
    ("@we @work|@deploy * on|onto <tools>", Says::Uses),
    (
        "@we @use|@work * and @work in|with|using|via|on <tools>",
        Says::Uses,
    ),
    (
        "@we @use|@work * and @deploy in|with|via|to|on <tools>",
        Says::Uses,
    ),
    ("@we use * for * and <tools> for", Says::Uses),
    (
        "@us am|are|is? @work.ing|@deploy.ing * in|with|using|via|inside <tools>",
        Says::Uses,
    ),
    (
        "@us am|are|is? @work.ing|@deploy.ing on|to|onto <tools>",
        Says::Uses,
    ),
    (
        "i|we draw|drew|build|built|wrote|made everything in|with|on <tools>",
        Says::Uses,
    ),
    // two things in a row: "I edit in X, build with Y"
    (
        "@we @work * in|with|on|using <tools> , and? @work|@deploy in|with|to|on|using <tools>",
        Says::Uses,
    ),
    (
        "i am the one who|that @work * in|with|on <tools>",
        Says::Uses,
    ),
    (
        "^ * dev|developer|author|maintainer of * in|with|on <tools>",
        Says::Uses,
    ),
    ("i|we * , all|everything in|on|with <tools>", Says::Uses),
    ("^ all|everything in|on|with <tools>", Says::Prefers),
    ("writes|loads|feeds|dumps into <tools>", Says::Uses),
    // one's own things
    (
        "@stuff is|are|gets|get|run|runs|live|lives|sit|sits|stay|stays|work|works|go|goes been|being? @work.ed|@deploy.ed|@work.ing|made|powered|based|stored|backed|fronted|driven|set|up? in|on|with|behind|inside|via|through|to|using|by|under|over? <tools>",
        Says::Uses,
    ),
    ("@stuff use|uses <tools>", Says::Uses),
    ("@ours on|in|with|all|behind <tools>", Says::Uses),
    (
        "@ours * written|built|made|hosted|running|runs|based in|on|with? <tools>",
        Says::Uses,
    ),
    (
        "@we <tools> everything|all|most|every|our|before|on|when|by",
        Says::Habit,
    ),
    (
        "^ @deploy.ed|written|built|made|powered in|on|with|to|via|by <tools>",
        Says::Uses,
    ),
    (
        "@stuff is|are? deployed|hosted|shipped with|via|by * to|on <tools>",
        Says::Uses,
    ),
    (
        "^ deployed|hosted|shipped with|via|by * to|on <tools>",
        Says::Uses,
    ),
    (
        "^ <tools> service|services|app|api|backend|frontend|site|shop|project|stack|monolith|codebase|setup , behind|on|with|in <tools>",
        Says::Uses,
    ),
    (
        "^ <tools> handles|powers|runs|drives|manages|serves|hosts|holds|formats|does our|my|all|everything|most",
        Says::Uses,
    ),
    ("^ <tools> is|are what|where i|we", Says::Uses),
    (
        "<tools> is|are my|our * go-to|thing|home|favourite|favorite|choice|default|weapon|daily",
        Says::Uses,
    ),
    (
        "my|our * driver|go-to|default|choice|weapon|favourite|favorite|setup|standard is|are|remains|stays|would|will|be? <tools>",
        Says::Uses,
    ),
    (
        "i|we have|got <tools> on|running|installed|open|set|up",
        Says::Uses,
    ),
    (
        "i|we have|got|own a|an|the? <tools> laptop|machine|box|desktop|workstation|pc|server|cluster",
        Says::Uses,
    ),
    (
        "on|from a|an|my|our|the? <tools> box|machine|laptop|desktop|pc|workstation|vps|vm|vms|server|servers|instance here?",
        Says::Prefers,
    ),
    (
        "on a|an|two|three|plain|few|couple * <tools> box|machine|vps|vm|vms|server|servers|instances",
        Says::Uses,
    ),
    (
        "with <tools> as|for my|our|the default|main? <slot>",
        Says::Uses,
    ),
    ("my|our * running|runs <tools>", Says::Uses),
    ("with <tools> inside|underneath|on", Says::Prefers),
    // ways of working and living
    (
        "@we practise|practice|follow|follows|do|does|enforce|require|requires|insist|believe|observe|count|think|measure|cook|indent on|in|with? <tools>",
        Says::Uses,
    ),
    (
        "^ doing|following|practising|practicing <tools>",
        Says::Prefers,
    ),
    ("^ use <tools>", Says::Habit),
    (
        "i|we am|are|is|went|go|turned|became|eat|eats|keep|have a|an|strictly|mostly|been? <tools>",
        Says::Habit,
    ),
    (
        "^ <tools> since|for|because|household|person|here|btw",
        Says::Habit,
    ),
    ("i|we do not eat|drink <short>", Says::Abstains),
    ("i|we never eat|drink <short>", Says::Abstains),
    ("i am|have * allergic to <short>", Says::Allergic),
    ("i|we would rather|sooner <rest>", Says::Rather),
    ("@we @deploy|@work|meet every|each <rest>", Says::Schedule),
    (
        "i|we do not|never do|take|have|schedule|book|work|accept <rest>",
        Says::Never,
    ),
    (
        "i|we never do|take|have|schedule|book|work|accept <rest>",
        Says::Never,
    ),
];

/// Named slots.
pub(super) const SLOTS: &[(&str, Says)] = &[
    (
        "my|our main|default|favourite|favorite|preferred|current|go-to|daily|primary? <slot> is|are|remains|will|be <tool>",
        Says::Slot,
    ),
    (
        "my|our main|default|favourite|favorite|preferred|current|go-to|daily|primary? <slot> is|will|be a|an? <short>",
        Says::Slot,
    ),
    ("my|our <slot> of choice is <short>", Says::Slot),
    ("^ <slot> is|are <tool>", Says::Slot),
    (
        "^ preferred|default|favourite|favorite|main <slot> is? <short>",
        Says::Slot,
    ),
    (
        "<tool> is my|our main|default|favourite|favorite|preferred|current|go-to|daily? <slot>",
        Says::SlotOf,
    ),
    ("<tool> as my|our * <slot>", Says::SlotOf),
    (
        "i|we use|have|prefer|got <proper> as my|our|the a|an|main|default|preferred? <slot>",
        Says::SlotOf,
    ),
    (
        "@we use|uses|like|prefer|love|have|run|runs <proper> for <purpose>",
        Says::UsesFor,
    ),
    (
        "@we use|uses|prefer <proper> for all|my|our|the? <short>",
        Says::UsesFor,
    ),
    (
        "i|we do|keep|take|track|manage|handle|write <purpose> in|with|on|using|via <proper>",
        Says::DoesIn,
    ),
    ("@we @deploy * to|on <proper>", Says::DeploysTo),
    (
        "@stuff is|are|gets|get|runs|run|lives|live @deploy.ed? * to|on <proper>",
        Says::DeploysTo,
    ),
];

/// Changes, ends and refusals.
pub(super) const CHANGES: &[(&str, Says)] = &[
    (
        "@us have|has? @change.ed over|away? from <tool> over? to <tool>",
        Says::FromTo,
    ),
    (
        "@us have|has? @change.ed * from <tool> to <tool>",
        Says::FromTo,
    ),
    (
        "@us have|has? @change.ed * to <tool> from <tool>",
        Says::ForTo,
    ),
    ("my|our * @change.ed from <tool> to <tool>", Says::FromTo),
    (
        "@us have|has? replaced|swapped|exchanged <tool> out? with|by|for <tool>",
        Says::FromTo,
    ),
    (
        "@us have|has? @drop.ed|traded|left <tool> for|in <tool>",
        Says::FromTo,
    ),
    (
        "@us have|has? @drop.ed <tool> in favour|favor of <tool>",
        Says::FromTo,
    ),
    (
        "@we use|uses|prefer|run|runs <tool> instead of <tool>",
        Says::ForTo,
    ),
    (
        "@we use|uses|prefer|prefers|like <tool> , not <tool>",
        Says::ForTo,
    ),
    ("i meant|mean <tool> , not <tool>", Says::ForTo),
    ("@us have|has? @change.ed * to <tools>", Says::Uses),
    (
        "i|we want|need|like|do * in|with <tool> , never|not|no <tool>",
        Says::ForTo,
    ),
    // endings
    (
        "@we no longer use|run|need|deploy|host|like|work|code|write|want|prefer|have on|in|with|to|using? <tools>",
        Says::GaveUp,
    ),
    (
        "i|we am|are no longer on|using|with|running <tools>",
        Says::GaveUp,
    ),
    (
        "i|we am|are not on|using|with|running <tools> anymore",
        Says::GaveUp,
    ),
    (
        "i|we am|are not on|using|with|running <tools> any more|longer",
        Says::GaveUp,
    ),
    (
        "not on|using|use <tool> anymore|longer , it? is? <tool>",
        Says::FromTo,
    ),
    ("^ not on|using <tools> anymore|any", Says::GaveUp),
    (
        "@we do not use|run|deploy|host|work|code|write|have|need|like|prefer on|in|with|to|using? <tools> anymore|any",
        Says::GaveUp,
    ),
    ("i|we do not use|have|run <tools>", Says::GaveUp),
    (
        "@us have|has? stopped|quit using|running|with? <tools>",
        Says::GaveUp,
    ),
    (
        "@us have|has? gave|given up on|using? <tools>",
        Says::GaveUp,
    ),
    ("@us have|has? got|gotten rid of <tools>", Says::GaveUp),
    ("@us have|has? @drop.ed <tools>", Says::GaveUp),
    (
        "@us have|has? @change.ed|moved away|off|from from|of? <tools>",
        Says::GaveUp,
    ),
    ("@us am|are? done with <tools>", Says::GaveUp),
    ("@us not going back to <tools>", Says::GaveUp),
    ("i|we am|are not going back to <tools>", Says::GaveUp),
    ("^ no more <tools>", Says::GaveUp),
    // refusals
    (
        "never used|touched|worked|tried with? <tools> and|but * not want|plan|intend",
        Says::Avoids,
    ),
    (
        "i|we do not want|like|allow any|to? use|touch? <tools>",
        Says::Avoids,
    ),
    (
        "i|we hate|avoid|dislike|refuse|can not stand to? use? <tools>",
        Says::Avoids,
    ),
    ("i|we never use <tools>", Says::Avoids),
];

/// What a question or request takes for granted: "why is my Neovim slow?"
pub(super) const PRESUPPOSED: &[(&str, ())] = &[
    ("my|our <tools> $", ()),
    (
        "my|our <tools> is|does|keeps|has|crashes|hangs|broke|breaks|died|setup|config|configuration|instance|app|apps|project|service|services|site|code|codebase|backend|frontend|server|servers|repo|cluster|script|scripts|pipeline|pipelines|workflow|workflows|install|installation|box|machine|laptop|database|prompt|deployment|build|builds|file|files|dotfiles|layout|tests|vault|notes|library|dashboard|dashboards|team|game|before|so|and|to|when|with|after",
        (),
    ),
];

/// Bare lists: "Python 3.12, ruff, uv". One name alone may be the answer to anything.
pub(super) const LISTED: &[(&str, ())] = &[
    ("^ <tools> $", ()),
    ("^ <tools> , no|not|never <rest> $", ()),
];
