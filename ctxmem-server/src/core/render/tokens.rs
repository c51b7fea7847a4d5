//! An estimate of how many tokens a text takes. Pure.
//!
//! Models count differently, and a tokenizer would bring megabytes of tables. The weights here were
//! fitted to o200k, in which the models of several providers count, over text of seventeen
//! languages and code; the estimate must be within 15 % for a text of a few lines.

/// A hundredth of a token, in which the weights are written.
const PER_TOKEN: usize = 100;

/// A word in Latin letters, its first five letters included.
const WORD: usize = 86;
/// Each further letter of it, up to the twelfth.
const LETTER: usize = 13;
/// Each letter after that: few words that long are tokens of their own.
const LATE_LETTER: usize = 45;
/// What a letter with an accent adds.
const ACCENT: usize = 89;
/// Up to three digits, and the space before a number.
const DIGITS: usize = 123;
/// Signs that stand together, or by themselves.
const SIGNS: usize = 88;
/// Each sign after the first of them.
const LATER_SIGN: usize = 16;
const LINE_BREAK: usize = 137;

/// About how many tokens this text takes.
#[cfg(test)]
pub(in crate::core) fn estimate(text: &str) -> usize {
    weight(text).div_ceil(PER_TOKEN)
}

/// The weight of so many tokens.
pub(super) fn of(tokens: usize) -> usize {
    tokens.saturating_mul(PER_TOKEN)
}

/// About how many hundredths of a token this text takes. They add up: to round each line of a block
/// would count some twice.
pub(super) fn weight(text: &str) -> usize {
    let mut weight = 0;
    let mut before = ' ';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = Kind::of(first);
        let end = rest
            .char_indices()
            .find(|(_, c)| Kind::of(*c) != kind)
            .map_or(rest.len(), |(at, _)| at);
        let (run, after) = rest.split_at(end);
        let length = run.chars().count();
        weight += match kind {
            Kind::Latin => latin(run, length),
            Kind::Letter(each) => each * length,
            Kind::Digit => DIGITS * (length.div_ceil(3) + usize::from(before == ' ')),
            Kind::Space => 0,
            Kind::LineBreak => LINE_BREAK * length,
            Kind::Sign => {
                // One that a word follows at once belongs to the word's token.
                let joins = length == 1
                    && before != ' '
                    && after.chars().next().is_some_and(char::is_alphabetic);
                LATER_SIGN * (length - 1) + if joins { 0 } else { SIGNS }
            }
        };
        before = run.chars().next_back().unwrap_or(' ');
        rest = after;
    }
    weight
}

fn latin(word: &str, length: usize) -> usize {
    let accents = word.chars().filter(|c| !c.is_ascii()).count();
    WORD + LETTER * length.clamp(5, 12).saturating_sub(5)
        + LATE_LETTER * length.saturating_sub(12)
        + ACCENT * accents
}

/// What a character counts as. Characters of one kind that stand together are a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Latin,
    /// A letter of another script, and what each of them weighs.
    Letter(usize),
    Digit,
    Space,
    LineBreak,
    Sign,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            // The marks belong to the letter before them: most are no letters by themselves.
            'a'..='z' | 'A'..='Z' | '\u{300}'..='\u{36f}' => Self::Latin,
            ' ' => Self::Space,
            '\n' | '\r' => Self::LineBreak,
            '\u{900}'..='\u{dff}' => Self::Letter(37),
            '\u{e00}'..='\u{e7f}' => Self::Letter(38),
            _ if c.is_whitespace() => Self::Space,
            _ if c.is_numeric() => Self::Digit,
            _ if !c.is_alphabetic() => Self::Sign,
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{370}'..='\u{3ff}' => Self::Letter(41),
            '\u{400}'..='\u{52f}' => Self::Letter(25),
            '\u{590}'..='\u{8ff}' => Self::Letter(36),
            '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => {
                Self::Letter(60)
            }
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Self::Letter(80),
            _ => Self::Letter(38),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as they stand in blocks, with the number of tokens that o200k makes of them.
    const COUNTED: &[(&str, usize, &str)] = &[
        (
            "English, facts",
            70,
            "- occupation: Works as a night nurse at a children's hospital\n- person: Brother Tom, a carpenter who lives two streets away\n- likes: Long walks along the river, strong coffee and crime novels\n- past: Moved from Leeds to Lisbon in March 2024\n- goal: Pass the B2 exam in Portuguese before the summer",
        ),
        (
            "English, statements",
            76,
            "- \"I've been vegetarian for about six years, but I still eat fish when we visit my grandmother.\" (2026-03-01)\n- \"We're renovating the kitchen ourselves, so don't suggest anything that needs an oven until June.\" (2026-04-17)\n- \"My daughter can't have nuts, not even traces.\" (2026-05-02)",
        ),
        (
            "German",
            87,
            "- Beruf: Arbeitet als Krankenpflegerin im Nachtdienst einer Kinderklinik\n- \"Ich habe seit der Operation keine Milchprodukte mehr vertragen, auch nicht in kleinen Mengen.\" (2026-03-01)\n- \"Wir ziehen im Herbst nach Freiburg um, weil meine Schwiegereltern dort wohnen.\" (2026-04-17)\n- Ziel: Bis zum Sommer die Weiterbildung zur Stationsleitung abschließen",
        ),
        (
            "French",
            96,
            "- métier : infirmière de nuit dans un hôpital pour enfants\n- « Je ne mange plus de viande depuis six ans, mais j'accepte le poisson chez ma grand-mère. » (2026-03-01)\n- « Nous refaisons la cuisine nous-mêmes, alors évitez de me proposer des plats au four avant le mois de juin. » (2026-04-17)\n- objectif : réussir l'examen de portugais avant l'été",
        ),
        (
            "Spanish",
            86,
            "- profesión: enfermera de noche en un hospital infantil\n- «Hace seis años que no como carne, aunque acepto el pescado cuando visitamos a mi abuela.» (2026-03-01)\n- «Estamos reformando la cocina nosotros mismos, así que no me propongas nada al horno hasta junio.» (2026-04-17)\n- meta: aprobar el examen de portugués antes del verano",
        ),
        (
            "Chinese",
            102,
            "- 职业：在儿童医院上夜班的护士\n- “我已经六年不吃肉了，不过去看奶奶的时候还是会吃一点鱼。”（2026-03-01）\n- “我们自己在装修厨房，所以六月之前请不要推荐需要烤箱的菜。”（2026-04-17）\n- 目标：夏天之前通过葡萄牙语考试\n- “我女儿对坚果过敏，一点都不能碰。”",
        ),
        (
            "Japanese",
            114,
            "- 職業：小児病院で夜勤の看護師をしています\n- 「六年前から肉は食べていませんが、祖母の家では魚を少しいただきます。」（2026-03-01）\n- 「自分たちで台所を改装しているので、六月まではオーブンを使う料理をすすめないでください。」（2026-04-17）\n- 目標：夏までにポルトガル語の試験に合格する",
        ),
        (
            "Hindi",
            106,
            "- पेशा: बच्चों के अस्पताल में रात की पाली की नर्स\n- \"मैं छह साल से मांस नहीं खाती, लेकिन दादी के घर जाने पर थोड़ी मछली खा लेती हूँ।\" (2026-03-01)\n- \"हम रसोई खुद ठीक कर रहे हैं, इसलिए जून तक ओवन वाला कोई व्यंजन मत बताइए।\" (2026-04-17)\n- लक्ष्य: गर्मियों से पहले पुर्तगाली भाषा की परीक्षा पास करना",
        ),
        (
            "code",
            88,
            "fn retry_after(headers: &HeaderMap) -> Option<Duration> {\n    let value = headers.get(\"retry-after\")?.to_str().ok()?;\n    let seconds: u64 = value.trim().parse().ok()?;\n    (seconds <= MAX_SECONDS).then(|| Duration::from_secs(seconds))\n}\n\nfor (name, count) in &totals {\n    println!(\"{name:>12} {count:5}\");\n}",
        ),
        (
            "commands and settings",
            88,
            "- deploy_target: Kubernetes 1.31 on Hetzner, three CX32 nodes\n- test_command: cargo nextest run --workspace --all-features -j4\n- \"Our API lives at https://api.example.com/v2/orders?page=1 and wants the header X-Tenant.\" (2026-03-01)\n- database: PostgreSQL 17, schema in db/migrations/0042_orders.sql",
        ),
    ];

    #[test]
    fn the_estimate_is_within_fifteen_percent() {
        for (what, counted, text) in COUNTED {
            let estimated = estimate(text);
            let off = estimated.abs_diff(*counted) * 100;
            assert!(off <= counted * 15, "{what}: {estimated} for {counted}");
        }
    }

    #[test]
    fn lines_add_up() {
        for (_, _, text) in COUNTED {
            let lines: usize = text.split_inclusive('\n').map(weight).sum();
            // A line that begins with a sign is counted as if a space stood before it.
            let whole = weight(text);
            assert!(lines.abs_diff(whole) * 50 <= whole, "{lines} for {whole}");
        }
    }

    #[test]
    fn nothing_takes_nothing() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("a"), 1);
    }
}
