//! A history as GitHub's Markdown.

use super::words;
use crate::history::Checked;
use crate::report::TableForm;
use crate::report::comparison::markdown::plain;
use crate::report::sheet::{Align, Sheet};

/// The whole: a table for each cell with its change points, notes, and what all comes to as the last line.
pub fn history_markdown(checked: &Checked) -> String {
    let mut text = String::new();
    for (cell, series) in words::by_cell(checked) {
        text += &format!("### {}\n\n", plain(&cell));
        let mut sheet = Sheet::default();
        for (number, heading) in words::TONIGHT.into_iter().enumerate() {
            let is_text = [0, 6].contains(&number);
            sheet.column(heading, if is_text { Align::Left } else { Align::Right });
        }
        for one in &series {
            sheet.row(words::tonight(one, &checked.night).to_vec());
        }
        text += &sheet.text(TableForm::Markdown);
        text.push('\n');
        let changes: Vec<String> = series
            .iter()
            .flat_map(|one| one.change_points.iter().map(|change| words::change(one, change)))
            .collect();
        for change in &changes {
            text += &format!("- changed: {}\n", plain(change));
        }
        if !changes.is_empty() {
            text.push('\n');
        }
    }
    for note in &checked.check.notes {
        text += &format!("- {}\n", plain(note));
    }
    if !checked.check.notes.is_empty() {
        text.push('\n');
    }
    text + &format!("**{}**\n", plain(&words::conclusion(checked)))
}
