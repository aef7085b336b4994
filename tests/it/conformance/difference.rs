//! Where two sequences of events part.

use super::events::Event;
use std::fmt::Write;

const BEFORE: usize = 8;
const AFTER: usize = 12;

/// What is shown of the first difference, with what comes before and after it; None if there is none.
pub fn difference(dbench: &[Event], rbench: &[Event]) -> Option<String> {
    if dbench == rbench {
        return None;
    }
    let same = dbench
        .iter()
        .zip(rbench)
        .take_while(|(one, other)| one == other)
        .count();
    let mut text = format!(
        "the first {same} events are the same, of {} (dbench) and {} (rbench)\nboth:\n",
        dbench.len(),
        rbench.len()
    );
    show(&mut text, &dbench[same.saturating_sub(BEFORE)..same]);
    for (name, events) in [("dbench", dbench), ("rbench", rbench)] {
        let _ = writeln!(text, "{name}:");
        show(&mut text, &events[same..events.len().min(same + AFTER)]);
        if events.len() == same {
            text.push_str("    (no more)\n");
        }
    }
    Some(text)
}

fn show(text: &mut String, events: &[Event]) {
    for event in events {
        let _ = writeln!(text, "    {event}");
    }
}
