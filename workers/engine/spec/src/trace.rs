//! A recorded trace: lines of `time,operation,key,size`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use crate::PlanFault;
use crate::keys::MAX_KEY_BYTES;
use crate::plan::{EnginePlan, MAX_VALUE_BYTES, Operation, OperationKind};

/// More would not fit into the memory of an agent.
const MAX_RECORDS: usize = 200_000_000;
/// Longer lines are of another format.
const MAX_LINE_BYTES: usize = 1024;
const HEAD: &str = "time,operation,key,size";

/// What a line of the trace asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    time_s: f64,
    item: u32,
    operation: u8,
}

/// A key together with a size that its value was recorded with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item {
    key: u32,
    /// 0 where none was recorded: the dataset says how long it is.
    size_bytes: u32,
}

/// A whole trace in memory. Keys are told apart by the numbers of their items: what is asked for is an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    records: Vec<Record>,
    items: Vec<Item>,
    keys: Vec<Box<[u8]>>,
    /// The first item of every key.
    firsts: Vec<u32>,
}

/// Where a trace cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TraceFault {
    pub line: usize,
    pub message: String,
}

impl Recorded {
    pub fn len(&self) -> u64 {
        self.records.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many keys there are.
    pub fn key_count(&self) -> u64 {
        self.firsts.len() as u64
    }

    /// When a record is due, in seconds since the first one; nothing behind the last one.
    pub fn time_s(&self, number: u64) -> Option<f64> {
        self.records.get(number as usize).map(|record| record.time_s)
    }

    /// The place of a record's operation among those of the plan, and its item.
    pub fn request(&self, number: u64) -> Option<(usize, u64)> {
        self.records.get(number as usize).map(|record| (record.operation.into(), record.item.into()))
    }

    /// The item that stands for a key when all keys are written beforehand.
    pub fn first_item(&self, key: u64) -> u64 {
        self.firsts.get(key as usize).map_or(0, |&item| item.into())
    }

    /// The place of an item's key among all keys.
    pub fn number_of(&self, item: u64) -> u64 {
        self.items.get(item as usize).map_or(0, |item| item.key.into())
    }

    /// The key of an item, as it was recorded.
    pub fn key_of(&self, item: u64) -> &[u8] {
        self.items.get(item as usize).map_or(&[], |item| &self.keys[item.key as usize])
    }

    /// How long the value of an item is, where it was recorded.
    pub fn size_of(&self, item: u64) -> Option<u32> {
        self.items.get(item as usize).map(|item| item.size_bytes).filter(|&size| size > 0)
    }

    /// The largest value that was recorded.
    pub fn max_bytes(&self) -> u64 {
        self.items.iter().map(|item| item.size_bytes).max().unwrap_or(0).into()
    }
}

/// Reads the plan's trace into it, if it has one.
///
/// # Errors
/// When it cannot be read, with the number of the line.
pub fn open_trace(plan: &mut EnginePlan) -> Result<(), PlanFault> {
    let Some(trace) = &plan.trace else { return Ok(()) };
    let fault = |message: String| PlanFault::at("trace.file", message);
    let file = File::open(&trace.file).map_err(|error| fault(format!("{}: {error}", trace.file)))?;
    let recorded = read_trace(BufReader::new(file), &plan.operations)
        .map_err(|error| fault(format!("{}, {error}", trace.file)))?;
    plan.recorded = Some(Arc::new(recorded));
    Ok(())
}

/// Reads a trace whose operations are all among those given.
///
/// # Errors
/// At the first line that is none of a trace.
pub fn read_trace(mut lines: impl BufRead, operations: &[Operation]) -> Result<Recorded, TraceFault> {
    let mut recorded = Recorded::default();
    let mut known = Known::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let fault = |message: String| TraceFault { line: number, message };
        let count = std::io::Read::take(&mut lines, MAX_LINE_BYTES as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| fault(error.to_string()))?;
        if count == 0 {
            break;
        }
        let text = std::str::from_utf8(&line).map_err(|_| fault("is not text".to_owned()))?;
        if count > MAX_LINE_BYTES {
            return Err(fault(format!("is longer than {MAX_LINE_BYTES} bytes")));
        }
        let text = text.trim_end_matches(['\n', '\r']);
        if number == 1 && text == HEAD {
            continue;
        }
        known.take(&mut recorded, text, operations).map_err(fault)?;
    }
    match recorded.is_empty() {
        true => Err(TraceFault { line: 1, message: "there is nothing in it".to_owned() }),
        false => Ok(recorded),
    }
}

/// The operations that a trace names, each once, in the order of their appearance.
///
/// # Errors
/// As [`read_trace`].
pub fn list_operations(lines: impl BufRead) -> Result<Vec<OperationKind>, TraceFault> {
    let all: Vec<Operation> = OperationKind::ALL.into_iter().map(Operation::of_kind).collect();
    let recorded = read_trace(lines, &all)?;
    let mut kinds: Vec<OperationKind> = Vec::new();
    for record in &recorded.records {
        let kind = all[usize::from(record.operation)].kind;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// What has been seen so far.
#[derive(Default)]
struct Known {
    keys: HashMap<Box<[u8]>, u32>,
    items: HashMap<(u32, u32), u32>,
}

impl Known {
    fn take(&mut self, recorded: &mut Recorded, text: &str, operations: &[Operation]) -> Result<(), String> {
        let mut fields = text.split(',');
        let (Some(time), Some(operation), Some(key), size, None) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("{text:?} is not of the form {HEAD}"));
        };
        let time_s = read_time(time)?;
        let last_s = recorded.records.last().map_or(0.0, |record| record.time_s);
        if time_s < last_s {
            return Err(format!("the time {time} lies before that of the line before"));
        }
        let place = operations
            .iter()
            .position(|known| known.kind.name() == operation)
            .ok_or_else(|| format!("{operation:?} is none of the plan's operations"))?;
        let is_key = (1..=MAX_KEY_BYTES as usize).contains(&key.len())
            && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_key {
            return Err(format!(
                "{key:?} is no key: 1 to {MAX_KEY_BYTES} printable characters without spaces"
            ));
        }
        let size_bytes = read_size(size.unwrap_or(""))?;
        if recorded.records.len() == MAX_RECORDS {
            return Err(format!("a trace has at most {MAX_RECORDS} lines"));
        }
        let item = self.find_item(recorded, key.as_bytes(), size_bytes);
        recorded.records.push(Record { time_s, item, operation: place as u8 });
        Ok(())
    }

    fn find_item(&mut self, recorded: &mut Recorded, key: &[u8], size_bytes: u32) -> u32 {
        let key = match self.keys.get(key) {
            Some(&number) => number,
            None => {
                let number = recorded.keys.len() as u32;
                recorded.keys.push(key.into());
                recorded.firsts.push(recorded.items.len() as u32);
                self.keys.insert(key.into(), number);
                number
            }
        };
        *self.items.entry((key, size_bytes)).or_insert_with(|| {
            recorded.items.push(Item { key, size_bytes });
            recorded.items.len() as u32 - 1
        })
    }
}

fn read_time(text: &str) -> Result<f64, String> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let time_s = text.parse::<f64>().ok().filter(|_| is_decimal);
    time_s.ok_or_else(|| format!("{text:?} is no time in seconds"))
}

fn read_size(text: &str) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let size = text.parse::<u32>().ok().filter(|&size| u64::from(size) <= MAX_VALUE_BYTES);
    size.ok_or_else(|| format!("{text:?} is no size in bytes up to {MAX_VALUE_BYTES}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Recorded, TraceFault> {
        let operations = [OperationKind::Get, OperationKind::Set].map(Operation::of_kind);
        read_trace(text.as_bytes(), &operations)
    }

    #[test]
    fn a_trace_gives_times_operations_keys_and_sizes() {
        let trace =
            read("time,operation,key,size\n0,get,a,\n0.5,set,b/1,100\r\n0.5,set,a,7\n2,get,b/1\n").unwrap();
        assert_eq!((trace.len(), trace.key_count()), (4, 2));
        assert_eq!(trace.time_s(1), Some(0.5));
        let (operation, item) = trace.request(2).unwrap();
        assert_eq!((operation, trace.key_of(item), trace.size_of(item)), (1, &b"a"[..], Some(7)));
        assert_eq!(trace.key_of(trace.first_item(1)), b"b/1");
        assert_eq!((trace.size_of(trace.first_item(0)), trace.max_bytes()), (None, 100));
    }

    #[test]
    fn every_fault_names_its_line() {
        for (text, line) in [
            ("", 1),
            ("0,get,a,1\n\n", 2),
            ("0,get,a,1\n0,get\n", 2),
            ("0,get,a,1,5\n", 1),
            ("time,operation,key,size\nx,get,a,1\n", 2),
            ("1,get,a,1\n0.5,get,a,1\n", 2),
            ("-1,get,a,1\n", 1),
            ("nan,get,a,1\n", 1),
            ("0,pop,a,1\n", 1),
            ("0,get,,1\n", 1),
            ("0,get,a b,1\n", 1),
            ("0,set,a,-5\n", 1),
            ("0,set,a,99999999999\n", 1),
        ] {
            assert_eq!(read(text).unwrap_err().line, line, "{text:?}");
        }
        assert_eq!(read(&format!("0,get,{},1\n", "k".repeat(2000))).unwrap_err().line, 1);
    }

    #[test]
    fn the_operations_of_a_trace_are_listed_once() {
        let kinds = list_operations(&b"0,set,a,1\n1,get,a,\n2,set,b,1\n"[..]).unwrap();
        assert_eq!(kinds, [OperationKind::Set, OperationKind::Get]);
    }
}
