//! Custom statements of SQL: one statement of a few kinds, without comments, escapes and calls of unknown functions.

use crate::custom::{Sql, has_place};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Place,
    Word,
    Number,
    Text,
    Quoted,
    Symbol,
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
}

impl Token<'_> {
    /// Of a word; empty for everything else, so that a quoted name is no keyword.
    fn upper(&self) -> String {
        if self.kind == Kind::Word { self.text.to_ascii_uppercase() } else { String::new() }
    }

    fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Quoted)
    }

    fn name(&self) -> String {
        if self.is_name() { self.text.trim_matches(['"', '`']).to_ascii_lowercase() } else { String::new() }
    }
}

const END: Token<'static> = Token { kind: Kind::Space, text: "" };
const SYMBOLS: &str = "!%&()*+,-./:<=>?[]^|~@#";

pub(crate) fn find_sql_fault(rules: &Sql, dialect: &str, command: &str) -> Option<&'static str> {
    let text = command.trim_end_matches([' ', '\t', '\r', '\n']);
    let tokens = match tokens_of(dialect, text.strip_suffix(';').unwrap_or(text)) {
        Ok(tokens) => tokens,
        Err(fault) => return Some(fault),
    };
    let first = tokens.first().unwrap_or(&END).upper();
    if !rules.first_words.get(dialect).is_some_and(|known| known.contains(&first)) {
        return Some("does not begin with a word that reads or writes rows, such as SELECT or UPDATE");
    }
    (0..tokens.len()).find_map(|at| {
        let token = tokens[at];
        let before = if at > 0 { tokens[at - 1] } else { END };
        let behind = tokens.get(at + 1).copied().unwrap_or(END);
        find_word_fault(rules, token, before, behind).or_else(|| {
            let is_call = token.is_name() && behind.text == "(";
            (is_call && !may_be_called(rules, &tokens, at))
                .then_some("calls a function that is not on the list")
        })
    })
}

fn tokens_of<'a>(dialect: &str, text: &'a str) -> Result<Vec<Token<'a>>, &'static str> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let token =
            take(text, at).ok_or("holds something else than names, numbers, texts in '...' and places")?;
        let next = &text[at + token.text.len()..];
        if token.text == "-" && next.starts_with('-')
            || token.text == "/" && next.starts_with('*')
            || token.text == "*" && next.starts_with('/')
            || dialect == "mysql" && token.text == "#"
        {
            return Err("holds a comment");
        }
        if dialect == "postgres" && token.text.starts_with('`') {
            return Err("holds backquotes, which are no quotes to PostgreSQL");
        }
        if dialect == "mysql" && token.text == "@" {
            return Err("uses a variable");
        }
        if matches!(token.kind, Kind::Text | Kind::Quoted) && has_place(token.text) {
            return Err("has quotes around a place, which stands for a whole value");
        }
        if token.kind != Kind::Space {
            tokens.push(token);
        }
        at += token.text.len();
    }
    Ok(tokens)
}

/// The token that begins at `at`; nothing where two servers might read the text in two ways.
fn take(text: &str, at: usize) -> Option<Token<'_>> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    let while_true = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
    let (kind, len) = match first {
        ' ' | '\t' | '\r' | '\n' => (Kind::Space, while_true(|c| " \t\r\n".contains(c))),
        '{' => (Kind::Place, len_of_place(text, at)?),
        'A'..='Z' | 'a'..='z' | '_' => (Kind::Word, while_true(is_of_word)),
        '0'..='9' => (Kind::Number, len_of_number(rest)?),
        '\'' => (Kind::Text, len_of_text(rest)?),
        '"' | '`' => {
            let inner = rest[1..].find(first)?;
            let is_plain = rest[1..=inner].bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'\\');
            (Kind::Quoted, is_plain.then_some(inner + 2)?)
        }
        symbol if SYMBOLS.contains(symbol) => (Kind::Symbol, 1),
        _ => return None,
    };
    Some(Token { kind, text: &rest[..len] })
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Nothing may touch it that would make it a part of something else.
fn len_of_place(text: &str, at: usize) -> Option<usize> {
    let len = ["{key}", "{value}"].iter().find(|place| text[at..].starts_with(**place))?.len();
    let touches = |c: char, more: &str| is_of_word(c) || more.contains(c);
    let before = text[..at].chars().next_back().is_some_and(|c| touches(c, "'\"`}"));
    let behind = text[at + len..].chars().next().is_some_and(|c| touches(c, "'\"`{.("));
    (!before && !behind).then_some(len)
}

fn len_of_number(rest: &str) -> Option<usize> {
    let len = rest.find(|c: char| !(is_of_word(c) || c == '.')).unwrap_or(rest.len());
    let (number, signed) = (&rest[..len], &rest[len..]);
    if let Some(digits) = number.strip_prefix("0x") {
        let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return is_hex.then_some(len);
    }
    // 1e-3: the sign belongs to the number.
    let whole = if number.ends_with(['e', 'E']) && signed.starts_with(['+', '-']) {
        let digits = signed[1..].find(|c: char| !(is_of_word(c) || c == '.')).unwrap_or(signed.len() - 1);
        &rest[..len + 1 + digits]
    } else {
        number
    };
    let is_number =
        whole.parse::<f64>().is_ok() && !whole.ends_with('.') && whole.bytes().all(|b| !b"iInN".contains(&b));
    is_number.then_some(whole.len())
}

/// A quote inside is doubled; a backslash means one thing to one server and another to the next.
fn len_of_text(rest: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += rest[at..].find('\'')? + 1;
        if !rest[at..].starts_with('\'') {
            break;
        }
        at += 1;
    }
    let is_plain = rest[..at].chars().all(|c| !c.is_ascii_control() && c != '\\');
    is_plain.then_some(at)
}

fn find_word_fault(
    rules: &Sql,
    token: Token<'_>,
    before: Token<'_>,
    behind: Token<'_>,
) -> Option<&'static str> {
    let word = token.upper();
    if word == "INTO" && !rules.before_into.contains(&before.upper()) {
        return Some("writes to a file, a variable or a new table: INTO is for INSERT only");
    }
    if rules.refused_words.contains(&word) {
        return Some("holds a word that is not allowed, such as PROCEDURE or OUTFILE");
    }
    let name = token.name();
    let is_system = behind.text == "." && rules.system_schemas.contains(&name) || name.starts_with("pg_");
    is_system.then_some("names what belongs to the server: use tables of the target's own database")
}

/// `a, b)`: columns, and no arguments.
fn is_list_of_names(tokens: &[Token<'_>]) -> bool {
    let end = tokens.iter().position(|token| token.text == ")").unwrap_or(0);
    let fits =
        |(at, token): (usize, &Token<'_>)| if at % 2 == 0 { token.is_name() } else { token.text == "," };
    end % 2 == 1 && tokens[..end].iter().enumerate().all(fits)
}

/// Whether an opening bracket may follow: a keyword, a known function, or a table with its columns.
fn may_be_called(rules: &Sql, tokens: &[Token<'_>], at: usize) -> bool {
    let mut start = at;
    while start >= 2 && tokens[start - 1].text == "." && tokens[start - 2].is_name() {
        start -= 2;
    }
    let before = if start > 0 { tokens[start - 1].upper() } else { String::new() };
    if matches!(before.as_str(), "INTO" | "WITH" | "RECURSIVE" | "AS") {
        return is_list_of_names(&tokens[at + 2..]);
    }
    let is_qualified = at > 0 && tokens[at - 1].text == ".";
    let word = tokens[at].upper();
    !is_qualified && (rules.functions.contains(&word) || rules.words_before_brackets.contains(&word))
}
