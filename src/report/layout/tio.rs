//! As tiobench: rates and processor time of sequential and random reads and writes, a row a directory, size and number
//! of clients.

use super::TableForm;
use super::cell::{SweepCell, shown};
use super::figure::Figure;
use super::matrix::heading;
use super::sweep::{Place, Section, Sweep};
use crate::report::printable;
use crate::report::sheet::{Align, Sheet, clipped};
use crate::result::AxisKind;
use crate::units::{Bytes, megabytes};
use std::collections::BTreeSet;

/// The loads, in the order of the columns, with their headings.
pub(super) const PATTERNS: [(&str, &str); 4] = [
    ("seqrd", "Seq Read"),
    ("rndrd", "Rand Read"),
    ("seqwr", "Seq Write"),
    ("rndwr", "Rand Write"),
];
/// Width of the column of a load: `18.88 14.0%`.
const RATE_WIDTH: usize = 11;

/// The axis of block sizes.
pub(super) fn block() -> AxisKind {
    AxisKind::Parameter("block".to_owned())
}

/// The axis of a client's file sizes.
pub(super) fn size() -> AxisKind {
    AxisKind::Parameter("size".to_owned())
}

/// A load's name without directory and endings.
pub(super) fn pattern_name(load: &str) -> &str {
    let name = load.rsplit('/').next().unwrap_or(load);
    name.split('.').next().unwrap_or(name)
}

/// Which of the columns a load is.
fn pattern(load: &str) -> Option<usize> {
    let name = pattern_name(load);
    PATTERNS.iter().position(|(pattern, _)| *pattern == name)
}

/// Whether loads are some of the four, each at most once.
pub(super) fn are_patterns(loads: &[String]) -> bool {
    let mut found: Vec<Option<usize>> = loads.iter().map(|load| pattern(load)).collect();
    found.sort_unstable();
    found.dedup();
    found.len() == loads.len() && !found.contains(&None)
}

/// What `-D` was given on a command line; the directory that it works in by default.
pub(super) fn directory_typed(command: &[String]) -> String {
    let mut directory = ".";
    let mut arguments = command.iter();
    while let Some(argument) = arguments.next() {
        let of_next = argument == "-D" || argument == "--directory";
        let value = argument
            .strip_prefix("--directory=")
            .or_else(|| argument.strip_prefix("-D"));
        match value {
            _ if of_next => directory = arguments.next().map_or(directory, String::as_str),
            Some(value) => directory = value,
            None => {}
        }
    }
    directory.to_owned()
}

/// The cells of one row.
pub(super) struct Row<'s> {
    pub(super) directory: String,
    /// MB over all clients.
    pub(super) size: Option<f64>,
    /// Bytes.
    pub(super) block: Option<u64>,
    pub(super) clients: String,
    /// In the order of [`PATTERNS`].
    pub(super) cells: [Option<&'s SweepCell>; 4],
}

impl Row<'_> {
    fn size(&self, form: TableForm) -> String {
        let tenths = self.size.map(|size| format!("{size:.1}"));
        let text = tenths.map(|text| text.strip_suffix(".0").map(str::to_owned).unwrap_or(text));
        text.unwrap_or_else(|| form.absent())
    }

    fn block(&self, form: TableForm) -> String {
        self.block
            .map_or_else(|| form.absent(), |block| block.to_string())
    }

    /// What stands before the loads.
    pub(super) fn labels(&self, form: TableForm) -> [String; 4] {
        [
            self.directory.clone(),
            self.size(form),
            self.block(form),
            self.clients.clone(),
        ]
    }

    fn words(&self) -> String {
        let patterns = PATTERNS.iter().zip(&self.cells);
        let words = patterns.filter_map(|((name, _), cell)| {
            let words = cell.map(SweepCell::words).filter(|words| !words.is_empty())?;
            Some(format!("{name} {words}"))
        });
        words.collect::<Vec<_>>().join("; ")
    }
}

/// The axes that a table shows: the load as columns, the others as rows.
pub(super) fn shown_axes(sweep: &Sweep) -> Vec<usize> {
    let kinds = [
        AxisKind::Directory,
        size(),
        block(),
        AxisKind::Clients,
        AxisKind::Load,
    ];
    kinds.iter().filter_map(|kind| sweep.axis(kind)).collect()
}

/// The rows of a section: by directory, size, block and clients, each in the order typed.
pub(super) fn rows<'s>(sweep: &'s Sweep, section: &Section<'s>) -> Vec<Row<'s>> {
    let shown = shown_axes(sweep);
    let load = sweep.axis(&AxisKind::Load);
    let mut order: BTreeSet<(Vec<usize>, Place)> = BTreeSet::new();
    for &(place, _) in &section.cells {
        let mut row = place.clone();
        if let Some(load) = load {
            row[load] = 0;
        }
        let key = shown.iter().map(|&axis| row[axis]).collect();
        order.insert((key, row));
    }
    order.into_iter().map(|(_, place)| row(sweep, place)).collect()
}

fn row(sweep: &Sweep, place: Place) -> Row<'_> {
    let mut cells = [None; 4];
    let mut at = place.clone();
    if let Some(load) = sweep.axis(&AxisKind::Load) {
        for (index, name) in sweep.axes[load].values.iter().enumerate() {
            at[load] = index;
            if let Some(column) = pattern(name) {
                cells[column] = sweep.cells.get(&at);
            }
        }
    }
    let typed = |kind: &AxisKind| Some(sweep.value(&place, sweep.axis(kind)?).to_owned());
    let any = cells.iter().flatten().next();
    let parameter = |name: &str| {
        let typed = typed(&AxisKind::Parameter(name.to_owned()));
        let text = typed.or_else(|| any?.parameter(name).map(str::to_owned))?;
        text.parse::<Bytes>().ok().map(|bytes| bytes.0)
    };
    let clients = any.map(|cell| cell.clients);
    let total = parameter("size")
        .zip(clients)
        .map(|(size, clients)| size as f64 * f64::from(clients));
    Row {
        directory: typed(&AxisKind::Directory).unwrap_or_else(|| sweep.directory.clone()),
        size: total.map(megabytes),
        block: parameter("block"),
        clients: typed(&AxisKind::Clients)
            .or_else(|| clients.map(|clients| clients.to_string()))
            .unwrap_or_default(),
        cells,
    }
}

/// The tables.
pub(super) fn text(sweep: &Sweep, form: TableForm) -> String {
    let sections = sweep.sections(&shown_axes(sweep));
    if form == TableForm::Csv {
        return csv(sweep, &sections);
    }
    let texts: Vec<String> = sections
        .iter()
        .map(|section| {
            format!(
                "{}```text\n{}```\n",
                heading(section),
                published(&rows(sweep, section))
            )
        })
        .collect();
    format!(
        "{}\nFile Size: MB (1,000,000 bytes) of all clients together; Block Size: bytes; Rate: MB/sec; CPU%: of one processor.\n",
        texts.join("\n")
    )
}

/// Widths of the columns before the loads.
struct Widths([usize; 4]);

impl Widths {
    fn of(labels: &[[String; 4]]) -> Widths {
        let mut widths = [7, 6, 7, 3];
        for row in labels {
            for (width, label) in widths.iter_mut().zip(row) {
                *width = (*width).max(label.chars().count());
            }
        }
        Widths(widths)
    }

    fn line(&self, labels: [&str; 4], cells: [&str; 4], cell_width: usize) -> String {
        let [directory, size, block, clients] = self.0;
        let mut text = format!("{:<directory$}", labels[0]);
        let others = labels[1..].iter().zip([size, block, clients]);
        for (label, width) in others.chain(cells.iter().map(|cell| (cell, cell_width))) {
            text.push_str(&format!(" {label:^width$}"));
        }
        format!("{}\n", text.trim_end())
    }
}

/// The table as tiobench printed it.
fn published(rows: &[Row<'_>]) -> String {
    let labels: Vec<[String; 4]> = rows
        .iter()
        .map(|row| {
            row.labels(TableForm::Markdown)
                .map(|label| printable(&clipped(&label)))
        })
        .collect();
    let cells: Vec<[String; 4]> = rows.iter().map(|row| row.cells.map(rate)).collect();
    let longest = cells.iter().flatten().map(|cell| cell.chars().count()).max();
    let width = longest.unwrap_or(0).max(RATE_WIDTH);
    let widths = Widths::of(&labels);
    let directory = format!("{:^1$}", "Dir", widths.0[0]);
    let mut text = widths.line(
        ["", "File", "Block", "Num"],
        PATTERNS.map(|(_, name)| name),
        width,
    );
    text.push_str(&widths.line([&directory, "Size", "Size", "Thr"], ["Rate (CPU%)"; 4], width));
    let rule = |width: usize| "-".repeat(width);
    let rules = widths.0.map(rule);
    let cell_rule = rule(width);
    text.push_str(&widths.line(
        rules.each_ref().map(String::as_str),
        [cell_rule.as_str(); 4],
        width,
    ));
    for (labels, cells) in labels.iter().zip(&cells) {
        // Marks stand behind a cell without moving its figures.
        let cells = cells.each_ref().map(|cell| format!("{cell:<width$}"));
        text.push_str(&widths.line(
            labels.each_ref().map(String::as_str),
            cells.each_ref().map(String::as_str),
            width,
        ));
    }
    text
}

/// `18.88 14.0%`: a rate and its processor time.
fn rate(cell: Option<&SweepCell>) -> String {
    let Some(cell) = cell else {
        return "    -".to_owned();
    };
    let Some(rate) = cell.median(Figure::Megabytes) else {
        return if cell.has_failed() { "failed" } else { "    -" }.to_owned();
    };
    let processor = cell.median(Figure::Processor);
    let processor = processor.map_or("-".to_owned(), |share| format!("{}%", fitting(share * 100.0, 4)));
    format!("{:>5} {processor:>5}{}", fitting(rate, 5), cell.symbols())
}

/// A number in so many characters, with as many decimals as there is room for.
fn fitting(number: f64, width: usize) -> String {
    let texts = (1..width.saturating_sub(1))
        .rev()
        .map(|decimals| format!("{number:.decimals$}"));
    let mut fits = texts.filter(|text| text.len() <= width);
    fits.next().unwrap_or_else(|| format!("{number:.0}"))
}

fn csv(sweep: &Sweep, sections: &[Section<'_>]) -> String {
    let mut sheet = Sheet::default();
    for axis in sweep.others(&shown_axes(sweep)) {
        sheet.column(sweep.axes[axis].kind.to_string(), Align::Left);
    }
    for label in ["dir", "file_size_mb", "block_bytes", "clients"] {
        sheet.column(label, Align::Left);
    }
    for (name, _) in PATTERNS {
        sheet.column(format!("{name} MB/sec"), Align::Right);
        sheet.column(format!("{name} CPU%"), Align::Right);
    }
    sheet.column("marks", Align::Left);
    for section in sections {
        for row in rows(sweep, section) {
            let labels = section.values.iter().cloned().chain(row.labels(TableForm::Csv));
            let figures = row.cells.iter().flat_map(|cell| {
                [Figure::Megabytes, Figure::Processor].map(|figure| {
                    let text = |value: f64| match figure {
                        Figure::Processor => fitting(value * 100.0, 4),
                        _ => fitting(value, 5),
                    };
                    shown(*cell, figure, TableForm::Csv, text)
                })
            });
            sheet.row(labels.chain(figures).chain([row.words()]).collect());
        }
    }
    sheet.text(TableForm::Csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_decimals_that_there_is_room_for() {
        let shown = [
            (18.88, "18.88"),
            (0.748, "0.748"),
            (9.9996, "10.00"),
            (123.45, "123.5"),
            (1234.5, "1234"),
            (123456.7, "123457"),
            (0.0, "0.000"),
        ];
        for (number, text) in shown {
            assert_eq!(fitting(number, 5), text);
        }
        assert_eq!(
            [14.0, 1.6, 100.0].map(|share| fitting(share, 4)),
            ["14.0", "1.60", "100"]
        );
    }

    #[test]
    fn the_directory_is_the_one_typed() {
        let typed = |text: &str| {
            let command: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            directory_typed(&command)
        };
        assert_eq!(typed("--clients 1,2 -t 5"), ".");
        assert_eq!(typed("-D /mnt1 --clients 1,2"), "/mnt1");
        assert_eq!(typed("--directory=/mnt1 -D/mnt2"), "/mnt2");
        assert_eq!(typed("--directory /mnt3 --dir /a,/b"), "/mnt3");
        assert_eq!(typed("-D"), ".");
    }

    #[test]
    fn loads_are_known_by_their_names_in_any_directory() {
        let are =
            |loads: &[&str]| are_patterns(&loads.iter().map(|&load| load.to_owned()).collect::<Vec<_>>());
        assert!(are(&["seqrd", "loads/rndwr.load.gz"]));
        assert!(!are(&["seqrd", "client"]));
        assert!(!are(&["seqrd", "other/seqrd.load"]));
    }
}
