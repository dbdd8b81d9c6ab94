//! The commands that carry out operations on Redis.

use loadstone_load::driver::Shape;
use loadstone_spec::plan::{EnginePlan, OperationKind};

use crate::data::{Data, command_of};
use crate::layout::Layout;

/// One argument of a command.
enum Argument<'a> {
    Text(&'a str),
    Key,
    Counter,
    Value,
}

use Argument::{Counter, Key, Text, Value};

fn command(layout: Layout, data: &Data, arguments: &[Argument<'_>]) -> Layout {
    let mut layout = layout.text(format!("*{}\r\n", arguments.len()));
    for argument in arguments {
        layout = match argument {
            Text(text) => layout.text(format!("${}\r\n{text}\r\n", text.len())),
            Key => bulk(layout, Layout::default().key(data), data),
            Counter => bulk(layout, Layout::default().counter(data), data),
            Value => layout.text("$").value_size(data).text("\r\n").value().text("\r\n"),
        };
    }
    layout
}

/// One argument without values.
pub(crate) fn bulk(layout: Layout, argument: Layout, data: &Data) -> Layout {
    layout.text("$").length_of(&argument, data).text("\r\n").join(argument).text("\r\n")
}

/// The first and the second stage of an operation.
pub(crate) fn lay_out(plan: &EnginePlan, shape: &Shape, data: &Data) -> [Layout; 2] {
    use OperationKind as Kind;
    let one = |arguments: &[Argument<'_>]| command(Layout::default(), data, arguments);
    let only = |arguments: &[Argument<'_>]| [one(arguments), Layout::default()];
    let seconds = shape.expire_s.to_string();
    let set = |condition: &[Argument<'_>]| lay_set(data, shape, condition, Layout::default());
    match shape.kind {
        Kind::Get => only(&[Text("GET"), Key]),
        Kind::Set | Kind::Insert => [set(&[]), Layout::default()],
        Kind::Add => [set(&[Text("NX")]), Layout::default()],
        Kind::Replace => [set(&[Text("XX")]), Layout::default()],
        Kind::Append => only(&[Text("APPEND"), Key, Value]),
        Kind::Incr => only(&[Text("INCR"), Counter]),
        Kind::Delete => only(&[Text("DEL"), Key]),
        Kind::Touch => only(&[Text("EXPIRE"), Key, Text(&seconds)]),
        Kind::ReadModifyWrite => [one(&[Text("GET"), Key]), set(&[])],
        Kind::CompareAndSet => {
            let watch = command(one(&[Text("WATCH"), Key]), data, &[Text("GET"), Key]);
            let exchange = lay_set(data, shape, &[], one(&[Text("MULTI")]));
            [watch, command(exchange, data, &[Text("EXEC")])]
        }
        Kind::Custom => [lay_custom(command_of(plan, shape), data), Layout::default()],
        _ => lay_list(shape, &only),
    }
}

fn lay_list(shape: &Shape, only: &dyn Fn(&[Argument<'_>]) -> [Layout; 2]) -> [Layout; 2] {
    use OperationKind as Kind;
    let (from, entries) = (u64::from(shape.from_entry), u64::from(shape.entries));
    let range = |first: String, last: String| only(&[Text("LRANGE"), Key, Text(&first), Text(&last)]);
    match shape.kind {
        Kind::ListInsertHead => only(&[Text("LPUSH"), Key, Value]),
        Kind::ListInsertTail => only(&[Text("RPUSH"), Key, Value]),
        Kind::RangeFirst => range("0".to_owned(), (entries - 1).to_string()),
        Kind::RangeLast => range(format!("-{entries}"), "-1".to_owned()),
        Kind::Range => range(from.to_string(), (from + entries - 1).to_string()),
        Kind::ListLength => only(&[Text("LLEN"), Key]),
        _ => Default::default(),
    }
}

fn lay_set(data: &Data, shape: &Shape, condition: &[Argument<'_>], before: Layout) -> Layout {
    let seconds = shape.expire_s.to_string();
    let mut arguments = vec![Text("SET"), Key, Value];
    arguments.extend(condition.iter().map(|argument| match argument {
        Text(text) => Text(text),
        Key | Counter | Value => Key,
    }));
    if shape.expire_s > 0 {
        arguments.extend([Text("EX"), Text(&seconds)]);
    }
    command(before, data, &arguments)
}

/// Words of a command line become arguments; each may hold places.
fn lay_custom(line: &str, data: &Data) -> Layout {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut layout = Layout::default().text(format!("*{}\r\n", words.len()));
    for word in words {
        layout = match word {
            "{value}" => layout.text("$").value_size(data).text("\r\n").value().text("\r\n"),
            mixed if !mixed.contains("{value") => bulk(layout, Layout::of_command(mixed, data), data),
            text => layout.text(format!("${}\r\n{text}\r\n", text.len())),
        };
    }
    layout
}
