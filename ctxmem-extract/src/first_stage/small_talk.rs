//! Greetings, thanks, agreement: words that go with a conversation and tell nothing.

use crate::lists::{IndexSet, WordList};
use std::sync::LazyLock;

use super::super::text::Word;
use super::vocabulary::{DURABLE, PERSONAL, begins, has, has_a_name, is_short, is_spoken};

/// Words that carry no fact, however they are combined.
static CHATTER: LazyLock<IndexSet<&str>> = LazyLock::new(|| {
    include_str!("chatter.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
});

/// The same in scripts that put no spaces between words, where they may follow each other.
const UNSPACED: &[&str] = &[
    "どうもありがとうございました",
    "ありがとうございました",
    "ありがとうございます",
    "ありがとう",
    "助かりました",
    "助かります",
    "こんにちは",
    "こんばんは",
    "おはようございます",
    "おはよう",
    "よろしくお願いします",
    "お願いします",
    "了解しました",
    "了解です",
    "わかりました",
    "なるほど",
    "すみません",
    "お疲れ様です",
    "おやすみなさい",
    "はい",
    "いいえ",
    "です",
    "ね",
    "よ",
    "非常感谢",
    "谢谢你",
    "谢谢",
    "多谢",
    "感谢",
    "你好",
    "您好",
    "好的",
    "好吧",
    "明白了",
    "知道了",
    "没问题",
    "太好了",
    "太棒了",
    "再见",
    "早上好",
    "晚上好",
    "晚安",
    "不客气",
    "对",
    "是的",
    "了",
    "감사합니다",
    "고맙습니다",
    "고마워요",
    "고마워",
    "안녕하세요",
    "안녕",
    "알겠습니다",
    "좋아요",
    "네",
    "아니요",
];

pub(super) fn is_nothing_else(words: &[Word]) -> bool {
    if says_who(words) {
        return false;
    }
    words
        .iter()
        .all(|word| is_chatter(word) || !is_spoken(word))
        || refers(words)
        || is_outcome(words)
        || is_praise(words)
        || is_next_step(words)
}

/// "That's me".
fn says_who(words: &[Word]) -> bool {
    words
        .windows(2)
        .any(|pair| matches!(pair, [is, me] if is.low() == "is" && me.low() == "me"))
}

fn is_chatter(word: &Word) -> bool {
    CHATTER.contains(word.low()) || is_unspaced_chatter(&word.text)
}

fn is_unspaced_chatter(text: &str) -> bool {
    if text.is_ascii() || text.len() > 120 {
        return false;
    }
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() || c == 'ー');
        if rest.is_empty() {
            return true;
        }
        match UNSPACED.iter().find_map(|said| rest.strip_prefix(said)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
}

/// A few words without a subject, verb or name ("the second one") refer to what was said.
fn refers(words: &[Word]) -> bool {
    begins(
        words,
        &[
            "the", "this", "that", "these", "those", "it", "he", "she", "they", "there", "shorter",
            "same", "more", "less",
        ],
    ) && !has(words, &["i", "my", "we", "our", "mine", "us"])
        && !has(words, &PERSONAL_BUT_ME)
        && !has_a_name(words)
        && is_short(words, 7)
        && !has(words, &DURABLE)
}

static PERSONAL_BUT_ME: WordList = WordList::new(&["ich", "mein", "je", "mon", "yo", "mi"]);

/// "Works like a charm", "fixed it": how the answer did.
fn is_outcome(words: &[Word]) -> bool {
    begins(
        words,
        &[
            "works",
            "worked",
            "fixed",
            "solved",
            "compiles",
            "builds",
            "passes",
            "hat",
            "klappt",
            "läuft",
            "funktioniert",
            "funciona",
            "funcionó",
            "ya",
            "ça",
            "funziona",
            "funcionou",
            "looks",
            "sounds",
            "makes",
            "much",
            "thank",
            "thanks",
            "tausend",
            "vielen",
            "mil",
            "merci",
            "grazie",
            "obrigado",
        ],
    ) && !has(words, &PERSONAL)
        && !has_a_name(words)
        && is_short(words, 8)
        && !has(words, &DURABLE)
}

/// "You saved my afternoon", "hope you had a pleasant day".
fn is_praise(words: &[Word]) -> bool {
    let of_you = match words {
        [you, verb, ..] if you.low() == "you" => verb.is_any(&[
            "saved", "rock", "rule", "helped", "nailed", "made", "fixed", "solved", "did", "got",
        ]),
        [hope, you, ..] => {
            hope.is_any(&[
                "hope",
                "hoping",
                "wish",
                "wishing",
                "enjoy",
                "have",
                "appreciate",
            ]) && you.is_any(&["you", "your", "all", "everyone", "the", "a", "it"])
        }
        _ => false,
    };
    of_you && !has(words, &["i", "we", "our"]) && !has_a_name(words) && is_short(words, 9)
}

/// "I'll try that later": what one does with an answer.
fn is_next_step(words: &[Word]) -> bool {
    let (next, rest) = match words {
        [i, will, next, rest @ ..] if i.low() == "i" && will.low() == "will" => (next, rest),
        [i, am, going, to, next, rest @ ..]
            if i.low() == "i" && am.low() == "am" && going.low() == "going" && to.low() == "to" =>
        {
            (next, rest)
        }
        [gonna, next, rest @ ..] if gonna.is_any(&["will", "lemme"]) => (next, rest),
        _ => return false,
    };
    next.is_any(&[
        "try", "check", "see", "test", "look", "read", "give", "think", "do", "be", "get", "let",
        "come", "report", "ask", "take", "keep",
    ]) && rest.iter().all(|word| {
        is_chatter(word)
            || word.is_any(&[
                "them", "these", "those", "both", "go", "shot", "try", "look", "into", "over",
                "out", "posted", "when", "once", "try",
            ])
    }) && is_short(words, 10)
}
