//! Greetings that are a list of lines, each of which must be answered with a certain line.

use loadstone_load::driver::{Greeted, Greeting};

use crate::take_line;

/// One step: what to say, and how the answer must begin.
#[derive(Debug, Clone)]
pub(crate) struct GreetingStep {
    pub say: Vec<u8>,
    pub expect: &'static str,
    /// What it is about, for the message of a refusal.
    pub what: &'static str,
}

/// The steps of one connection.
#[derive(Debug)]
pub struct LineGreeting {
    steps: std::sync::Arc<[GreetingStep]>,
    at: usize,
    is_error: fn(&[u8]) -> bool,
}

impl LineGreeting {
    pub(crate) fn begin(
        steps: &std::sync::Arc<[GreetingStep]>,
        is_error: fn(&[u8]) -> bool,
        out: &mut Vec<u8>,
    ) -> Self {
        out.extend_from_slice(&steps[0].say);
        Self { steps: std::sync::Arc::clone(steps), at: 0, is_error }
    }
}

impl Greeting for LineGreeting {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        let step = &self.steps[self.at];
        let (line, used) = match take_line(input) {
            Ok(None) => return Greeted::More { used: 0 },
            Ok(Some(found)) => found,
            Err(()) => return Greeted::Broken("a line that does not end".to_owned()),
        };
        let text = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        if (self.is_error)(line) {
            return Greeted::Refused(format!("{} was refused: {text}", step.what));
        }
        if !line.starts_with(step.expect.as_bytes()) {
            return Greeted::Broken(format!("{} was answered with {text:?}", step.what));
        }
        self.at += 1;
        match self.steps.get(self.at) {
            None => Greeted::Ready { used },
            Some(next) => {
                out.extend_from_slice(&next.say);
                Greeted::More { used }
            }
        }
    }
}
