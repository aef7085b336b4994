//! A run as it is stored: its result, and what it is found by.

use super::Facts;
use crate::compare::{CellKey, Figure, figures};
use crate::result::{End, RunResult, Turn, TurnSide};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};

/// The longest result that is unpacked, bytes: one with a second for each of a day has some 20 MB.
const LONGEST: u64 = 1 << 30;

/// What is stored of a run.
pub(super) struct Record {
    pub(super) uid: String,
    /// Nanoseconds since 1970.
    pub(super) started_at: i64,
    pub(super) label: Option<String>,
    pub(super) cell: CellKey,
    pub(super) completed: bool,
    /// The result's JSON, compressed (gzip).
    pub(super) packed: Vec<u8>,
    pub(super) night: String,
    pub(super) build: Option<String>,
    pub(super) fresh: bool,
    facts: String,
    figures: Vec<Figure>,
    tags: BTreeMap<String, String>,
    turn: Option<Turn>,
}

impl Record {
    /// Of a run, and its result as JSON.
    pub(super) fn of(run: &RunResult, text: &str) -> serde_json::Result<Record> {
        let compact = compact(text);
        let info = &run.info;
        let kernel = run.environment.as_ref();
        let kernel = kernel.and_then(|environment| environment.axis.kernel_release.clone());
        Ok(Record {
            uid: uid(&compact)?,
            started_at: nanoseconds(info.started_at),
            label: info.label.clone(),
            cell: CellKey::of(run),
            completed: run.end == End::Completed,
            packed: packed(&compact),
            night: night(run),
            build: info.label.clone().or(kernel),
            fresh: info.tags.get("fresh").is_some_and(|value| value == "1"),
            facts: serde_json::to_string(&Facts::of(run))?,
            figures: figures(run),
            tags: info.tags.clone(),
            turn: info.turn.clone(),
        })
    }

    /// Of a result as it is stored.
    pub(super) fn unpacked(packed: &[u8]) -> Result<Record, String> {
        let text = unpacked(packed)?;
        let run = parsed(&text)?;
        Record::of(&run, &text).map_err(|error| error.to_string())
    }

    /// Adds it, unless it is there; answers its number, and whether it is new. To be called within a transaction.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<(i64, bool)> {
        let mut known = connection.prepare_cached("SELECT id FROM runs WHERE uid = ?1")?;
        if let Some(id) = known.query_row([&self.uid], |row| row.get(0)).optional()? {
            return Ok((id, false));
        }
        let facts = self.facts_id(connection)?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO runs (uid, started_at, label, cell_sha256, cell_name, machine, completed, result, night, \
             build, fresh, facts_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        let id = insert.insert(params![
            self.uid,
            self.started_at,
            self.label,
            self.cell.sha256,
            self.cell.name,
            self.cell.machine,
            self.completed,
            self.packed,
            self.night,
            self.build,
            self.fresh,
            facts
        ])?;
        self.insert_details(connection, id)?;
        Ok((id, true))
    }

    /// The number of what must agree between it and others; most runs share it.
    pub(super) fn facts_id(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let mut known = connection.prepare_cached("SELECT id FROM facts WHERE text = ?1")?;
        match known.query_row([&self.facts], |row| row.get(0)).optional()? {
            Some(id) => Ok(id),
            None => connection
                .prepare_cached("INSERT INTO facts (text) VALUES (?1)")?
                .insert([&self.facts]),
        }
    }

    /// Figures, tags and turn.
    pub(super) fn insert_details(&self, connection: &Connection, id: i64) -> rusqlite::Result<()> {
        let mut figure = connection
            .prepare_cached("INSERT INTO figures (run_id, metric, value, share) VALUES (?1, ?2, ?3, ?4)")?;
        for Figure {
            metric,
            value,
            share_of_time,
        } in &self.figures
        {
            figure.execute(params![id, metric.to_string(), value, share_of_time])?;
        }
        let mut tag =
            connection.prepare_cached("INSERT INTO tags (run_id, name, value) VALUES (?1, ?2, ?3)")?;
        for (name, value) in &self.tags {
            tag.execute(params![id, name, value])?;
        }
        if let Some(turn) = &self.turn {
            let campaign = nanoseconds(turn.campaign_started_at);
            let side = side(turn.side);
            let mut insert = connection.prepare_cached(
                "INSERT INTO turns (run_id, campaign, side, pair, confirms, what) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            insert.execute(params![id, campaign, side, turn.pair, turn.confirms, turn.what])?;
        }
        Ok(())
    }
}

/// How a side is stored.
pub(super) fn side(side: TurnSide) -> &'static str {
    match side {
        TurnSide::A => "a",
        TurnSide::B => "b",
    }
}

/// The tag `night`, or the day in UTC.
fn night(run: &RunResult) -> String {
    let tagged = run.info.tags.get("night").filter(|night| !night.is_empty());
    tagged.cloned().unwrap_or_else(|| {
        let day = run.info.started_at.strftime("%Y-%m-%d");
        day.to_string()
    })
}

/// A moment as a number that SQLite can hold: to the year 2262.
pub(super) fn nanoseconds(at: jiff::Timestamp) -> i64 {
    let nanoseconds = at.as_nanosecond();
    i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX })
}

/// What tells a result from all others: SHA-256 of its JSON with names sorted, and without blanks and what is absent. So
/// the same result is known in a document and on a line, and when later versions have more that may be absent.
fn uid(text: &str) -> serde_json::Result<String> {
    let value: Value = serde_json::from_str(text)?;
    let canonical = serde_json::to_vec(&sorted(value))?;
    let digest = Sha256::digest(&canonical);
    Ok(digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.into_iter().filter(|(_, value)| !value.is_null());
            let fields: BTreeMap<String, Value> =
                present.map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        value => value,
    }
}

/// JSON on one line: without the blanks between its parts.
fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if !quoted && matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        compact.push(c);
    }
    compact
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Memory takes everything.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

/// The JSON of a stored result.
pub(super) fn unpacked(packed: &[u8]) -> Result<String, String> {
    let mut text = String::new();
    let read = GzDecoder::new(packed).take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > LONGEST {
        return Err("it is larger than 1 GiB".to_owned());
    }
    Ok(text)
}

pub(super) fn parsed(text: &str) -> Result<RunResult, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_same_result_is_known_whatever_its_blanks_and_order() {
        let one = r#"{"a": 1, "b": {"c": [1, 2], "d": null}}"#;
        let other = "{\"b\":{\"c\":[1,2]},\n\t\"a\":1}";
        assert_eq!(uid(one).unwrap(), uid(other).unwrap());
        assert_ne!(uid(one).unwrap(), uid(r#"{"a":1,"b":{"c":[2,1]}}"#).unwrap());
    }

    proptest! {
        #[test]
        fn blanks_are_taken_out_of_nothing_but_between(text in ".{0,20}", other in "[ \\\\\"a]{0,8}") {
            let value = serde_json::json!({ text.as_str(): [other.as_str(), 1.5, null, {"x": text.as_str()}] });
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), serde_json::to_string(&value).unwrap());
        }

        #[test]
        fn what_is_packed_comes_out_again(text in ".{0,200}") {
            prop_assert_eq!(unpacked(&packed(&text)).unwrap(), text);
        }
    }
}
