//! What words do in a sentence: the lists of `words.txt`.
//!
//! Only `std` here: the build script checks the names with this very file.

named! {
    /// What a word does in a sentence.
    Class {
        /// Tells the language: found in nearly every sentence, and in no other language.
        Mark = "mark",
        /// Adds nothing: "really", "currently".
        Filler = "filler",
        /// Opens a clause and says nothing: "hi", "ok", "and".
        Opener = "opener",
        /// Begins a new clause: "and", "but", "because".
        Joint = "joint",
        /// Begins an adverbial before the subject: "at work I …".
        Lead = "lead",
        /// The speaker: "I", "we".
        Subject = "subject",
        /// The speaker's own: "my", "our".
        Own = "own",
        /// Begins a question.
        Question = "question",
        /// Begins a question when a pronoun follows: "do you", "are they".
        Auxiliary = "auxiliary",
        /// A pronoun that may be asked about or is somebody else.
        Pronoun = "pronoun",
        /// Begins a condition: "if", "when".
        Condition = "condition",
        /// All that follows is make-believe: "imagine", "suppose".
        Pretence = "pretence",
        /// Says that somebody said: "says", "told".
        Reporting = "reporting",
        /// A jest: "lol", "yeah right" has its own rule.
        Jest = "jest",
        /// Points at something unsaid: "it", "this".
        Pointing = "pointing",
        /// Ends what a pattern takes: "because", "when".
        Stop = "stop",
        /// Too general to be what a fact is about: "something", "stuff".
        Vague = "vague",
        /// An article or the like, which opens a noun phrase.
        Article = "article",
        /// Begins a wish or a request: "please", "could".
        Wish = "wish",
        /// A word of small talk and nothing else.
        SmallTalk = "small_talk",
        /// Says no: "not", "never".
        Negation = "negation",
        /// Says how to answer: "answers", "concise".
        Style = "style",
        /// Gives an order: "write", "explain".
        Order = "order",
        /// What one owns only for the moment: "my question", "my code".
        Passing = "passing",
        /// How one is just now: "tired", "starving".
        State = "state",
        /// A verb that begins a note without its subject: "moved to Rome", "learning Dutch".
        Bare = "bare",
        /// A verb by which one tells of others: "is", "likes".
        Copula = "copula",
        /// What a task is about and a person's life is not: "output", "function".
        Task = "task",
        /// A verb by which one tells of oneself: "I use".
        Telling = "telling",
        /// A verb that may follow "and" without its subject: "and use Helix".
        Verb = "verb",
    }
}
