//! What rows of patterns may name: kinds of words and functions.
//!
//! Only `std` here: the build script checks the names in the rows with this very file.

named! {
    /// A kind of words that a pattern asks for: `{place}`.
    Kind {
        /// A person's name, in capitals.
        Name = "name",
        /// The user's own name, which people write in lower case as well.
        OwnName = "own_name",
        /// The same behind "I am", where other words in capitals stand too.
        KnownName = "known_name",
        /// A name that begins with a first name that is known.
        FirstName = "first_name",
        /// A place behind what is done there: no field and no department.
        Town = "town",
        /// A phrase about a step in life: "leave the agency".
        Step = "step",
        /// A department: "accounting".
        Department = "department",
        /// A standing instruction, whatever it says.
        Standing = "standing",
        /// No words at all: it refers to what was said before.
        Back = "back",
        /// What an assistant should stop doing: "summarizing every edit".
        Stopping = "stopping",
        /// What is sent and what to do then: "code, give me the diff".
        Conduct = "conduct",
        /// A place, in capitals or known.
        Place = "place",
        /// A place that is known.
        KnownPlace = "known_place",
        /// A time zone.
        Zone = "zone",
        /// An occupation: "junior nurse at a clinic in Leeds".
        Job = "job",
        /// An occupation without a word more: "nurse".
        BareJob = "bare_job",
        /// Where one works.
        Employer = "employer",
        /// What a person is to the user: "sister", "team lead".
        Relation = "relation",
        /// One of several people: "kids", "colleagues".
        Groups = "groups",
        /// Known tools, languages and the like, one or several.
        Tools = "tools",
        /// One known tool.
        Tool = "tool",
        /// Spoken languages.
        Tongues = "tongues",
        /// How people name a slot: "editor", "note taking app".
        Slot = "slot",
        /// A way to eat: "vegan".
        Diet = "diet",
        /// What people are allergic to.
        Allergens = "allergens",
        /// An illness or condition that advice has to know of.
        Condition = "condition",
        /// A line of business.
        Field = "field",
        /// A business that one runs.
        Business = "business",
        /// An instrument that one plays.
        Instrument = "instrument",
        /// Something to eat or to drink.
        Food = "food",
        /// An illness.
        Illness = "illness",
        /// How answers may be: "short".
        Style = "style",
        /// What answers may hold too much of: "emojis".
        Noise = "noise",
        /// How an assistant may be, so that nothing else can be meant: "terse".
        Terse = "terse",
        /// How an assistant may be: "blunt".
        Manner = "manner",
        /// A phrase about something that one makes: "a book on bees".
        Work = "work",
        /// A phrase that names a thing: "a booking site for kayaks".
        Project = "project",
        /// A place of work: "the agency".
        ThePlace = "the_place",
        /// A phrase about something that takes place.
        Event = "event",
        /// A wish about answers.
        Wish = "wish",
        /// A pet.
        Pet = "pet",
        /// A house or another thing that one buys and sells.
        Property = "property",
        /// A thing of a known brand: "Volvo V70".
        Gear = "gear",
        /// A statement that the user wants remembered: "that the garage closes on Tuesdays".
        Said = "said",
        /// Such a statement about the user or other people; "note that …" may be about anything.
        SaidOfSomebody = "said_of_somebody",
        /// Such a statement behind a colon or "that" only.
        SaidMarked = "said_marked",
        /// A date.
        Date = "date",
        /// A number.
        Number = "number",
        /// A name as people give to things: capitals, or one word before the end.
        Title = "title",
        /// An open phrase, which is about something.
        Phrase = "phrase",
        /// The same of at most four words.
        Short = "short",
        /// All up to the end of the sentence.
        Rest = "rest",
    }
}

named! {
    /// A function for what a row can't say: `#tools {tools}`.
    Handler {
        /// Tools that are used: each goes where it belongs.
        Tools = "tools",
        /// Tools that are not used, by choice.
        NoTools = "no_tools",
        /// Tools that are used no longer.
        Stopped = "stopped",
        /// Tools that the user knows how to use.
        Knows = "knows",
        /// Spoken languages.
        Tongues = "tongues",
        /// What the user is allergic to, each a fact.
        Allergies = "allergies",
        /// Somebody named before what they are to the user: "Priya, my manager".
        Apposed = "apposed",
        /// What the user wants remembered.
        Remember = "remember",
        /// The user wants remembered what was said before: "keep that in mind".
        RememberBack = "remember_back",
        /// What the user wants forgotten.
        Forget = "forget",
    }
}
