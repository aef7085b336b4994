//! Rows and columns as text: a Markdown table that reads well in a terminal too, or CSV.

use super::TableForm;
use super::printable::printable;

/// On which side the cells of a column are filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table: headings, and rows of as many cells. Its texts may be names from files: they are made safe here.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// The longest text that a table for people shows whole, in characters; programs get all of it.
const LONGEST: usize = 200;

/// A text that is too long for a table, cut.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl Sheet {
    /// Adds a column; all columns are there before the first row.
    pub(super) fn column(&mut self, heading: impl Into<String>, align: Align) {
        self.columns.push((heading.into(), align));
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The text, with a newline at the end.
    pub(super) fn text(&self, form: TableForm) -> String {
        match form {
            TableForm::Markdown => self.markdown(),
            TableForm::Csv => self.csv(),
        }
    }

    /// A table of GitHub's Markdown (GFM 4.10), its columns padded to one width.
    fn markdown(&self) -> String {
        let escaped = |cell: &String| escaped(&clipped(cell));
        let headings: Vec<String> = self.columns.iter().map(|(heading, _)| escaped(heading)).collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(escaped).collect())
            .collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                let all = cells.chain(headings.get(column));
                // The rule below the headings has at least three characters.
                all.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
            })
            .collect();
        let mut text = self.line(&headings, &widths);
        text.push('|');
        for ((_, align), width) in self.columns.iter().zip(&widths) {
            let dashes = "-".repeat(width - 1);
            text.push_str(&match align {
                Align::Left => format!(" {dashes}- |"),
                Align::Right => format!(" {dashes}: |"),
            });
        }
        text.push('\n');
        for row in &rows {
            text.push_str(&self.line(row, &widths));
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut text = "|".to_owned();
        for ((cell, &width), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
            text.push_str(&match align {
                Align::Left => format!(" {cell:<width$} |"),
                Align::Right => format!(" {cell:>width$} |"),
            });
        }
        text.push('\n');
        text
    }

    fn csv(&self) -> String {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        let headings: Vec<&String> = self.columns.iter().map(|(heading, _)| heading).collect();
        let rows = self.rows.iter().map(|row| row.iter().collect::<Vec<_>>());
        for row in std::iter::once(headings).chain(rows) {
            // Memory takes everything.
            let _ = writer.write_record(row.into_iter().map(|cell| printable(cell)));
        }
        let bytes = writer.into_inner().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// A text that stays within its cell of a Markdown table.
fn escaped(text: &str) -> String {
    let text = printable(text);
    if !text.contains('|') {
        return text;
    }
    // A backslash right before a bar would otherwise undo the one that escapes the bar.
    text.replace('\\', "\\\\").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::default();
        sheet.column("name", Align::Left);
        sheet.column("MB/sec", Align::Right);
        sheet.row(vec!["a|b\\|c\nd".into(), "8.693".into()]);
        sheet.row(vec!["x, \"y\"".into(), "12.000*".into()]);
        sheet
    }

    #[test]
    fn a_markdown_table_is_aligned_and_no_name_leaves_its_cell() {
        assert_eq!(
            sheet().text(TableForm::Markdown),
            "| name          |  MB/sec |\n\
             | ------------- | ------: |\n\
             | a\\|b\\\\\\|c\\\\nd |   8.693 |\n\
             | x, \"y\"        | 12.000* |\n"
        );
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(
            sheet().text(TableForm::Csv),
            "name,MB/sec\na|b\\|c\\nd,8.693\n\"x, \"\"y\"\"\",12.000*\n"
        );
    }
}
