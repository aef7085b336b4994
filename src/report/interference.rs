//! Groups of clients beside one another: how much slower each is than by itself.

use super::TableForm;
use super::sheet::{Align, Sheet};
use crate::units::General;

/// Groups that ran at the same time, each compared with itself alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Interference {
    /// In the order of the table.
    pub groups: Vec<InterferenceGroup>,
}

/// A group of clients with one load in one directory.
#[derive(Debug, Clone, PartialEq)]
pub struct InterferenceGroup {
    pub name: String,
    pub load: String,
    pub directory: String,
    pub clients: u32,
    /// What is compared.
    pub figure: InterferenceFigure,
    /// The group by itself; absent where that failed, or was not run.
    pub alone: Option<f64>,
    /// The group beside the others; absent where that failed.
    pub together: Option<f64>,
}

/// What a group is compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterferenceFigure {
    /// A fixed amount of work: the time that it takes.
    Seconds,
    /// A looped load that moves data: its rate.
    MegabytesPerSecond,
    /// A looped load that moves none: its rate.
    OperationsPerSecond,
}

impl InterferenceFigure {
    fn unit(self) -> &'static str {
        match self {
            InterferenceFigure::Seconds => "s",
            InterferenceFigure::MegabytesPerSecond => "MB/sec",
            InterferenceFigure::OperationsPerSecond => "operations/sec",
        }
    }
}

impl InterferenceGroup {
    /// How many times as slow the group is beside the others as alone: 1 is ideal. Absent where one of the two is, or
    /// is no positive number.
    pub fn factor(&self) -> Option<f64> {
        let positive = |figure: &f64| figure.is_finite() && *figure > 0.0;
        let alone = self.alone.filter(positive)?;
        let together = self.together.filter(positive)?;
        Some(match self.figure {
            InterferenceFigure::Seconds => together / alone,
            InterferenceFigure::MegabytesPerSecond | InterferenceFigure::OperationsPerSecond => {
                alone / together
            }
        })
    }
}

impl Interference {
    /// The table: a row a group. What was not measured is `-`, in CSV empty.
    pub fn text(&self, form: TableForm) -> String {
        let mut sheet = Sheet::default();
        for (heading, align) in [
            ("nr", Align::Right),
            ("group", Align::Left),
            ("load", Align::Left),
            ("dir", Align::Left),
            ("clients", Align::Right),
            ("unit", Align::Left),
            ("together", Align::Right),
            ("expected", Align::Right),
            ("factor", Align::Right),
        ] {
            sheet.column(heading, align);
        }
        for (index, group) in self.groups.iter().enumerate() {
            sheet.row(row(index + 1, group, form));
        }
        let text = sheet.text(form);
        match form {
            TableForm::Markdown => format!(
                "{text}\nexpected: the group alone. factor: how many times as slow it is together; 1 is ideal.\n"
            ),
            TableForm::Csv => text,
        }
    }
}

fn row(number: usize, group: &InterferenceGroup, form: TableForm) -> Vec<String> {
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| form.absent());
    let figure = |figure: Option<f64>| {
        let finite = figure.filter(|figure| figure.is_finite());
        or_absent(finite.map(|figure| General(figure).to_string()))
    };
    vec![
        number.to_string(),
        group.name.clone(),
        group.load.clone(),
        group.directory.clone(),
        group.clients.to_string(),
        group.figure.unit().to_owned(),
        figure(group.together),
        figure(group.alone),
        or_absent(group.factor().map(|factor| format!("{factor:.1}"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn group(name: &str, directory: &str, together: Option<f64>, alone: Option<f64>) -> InterferenceGroup {
        InterferenceGroup {
            name: name.into(),
            load: "read".into(),
            directory: directory.into(),
            clients: 1,
            figure: InterferenceFigure::Seconds,
            alone,
            together,
        }
    }

    /// A reader beside a writer on another device (2002, 1 GB, seconds).
    fn published() -> Interference {
        let of = |name, directory, together, alone| group(name, directory, Some(together), Some(alone));
        Interference {
            groups: vec![
                of("dd", "30GB HDD", 187.0, 86.0),
                of("dd", "120GB HDD", 57.0, 31.0),
                of("dd", "30GB HDD", 121.0, 86.0),
                of("cp", "30GB HDD", 94.0, 86.0),
            ],
        }
    }

    #[test]
    fn the_published_factors_come_out() {
        assert_snapshot!(published().text(TableForm::Markdown), @r"
        |  nr | group | load | dir       | clients | unit | together | expected | factor |
        | --: | ----- | ---- | --------- | ------: | ---- | -------: | -------: | -----: |
        |   1 | dd    | read | 30GB HDD  |       1 | s    |      187 |       86 |    2.2 |
        |   2 | dd    | read | 120GB HDD |       1 | s    |       57 |       31 |    1.8 |
        |   3 | dd    | read | 30GB HDD  |       1 | s    |      121 |       86 |    1.4 |
        |   4 | cp    | read | 30GB HDD  |       1 | s    |       94 |       86 |    1.1 |

        expected: the group alone. factor: how many times as slow it is together; 1 is ideal.
        ");
        let csv = published().text(TableForm::Csv);
        let factors: Vec<&str> = csv
            .lines()
            .skip(1)
            .filter_map(|row| row.rsplit(',').next())
            .collect();
        assert_eq!(factors, ["2.2", "1.8", "1.4", "1.1"]);
    }

    #[test]
    fn a_rate_that_halves_is_the_factor_of_a_time_that_doubles() {
        let mut rate = group("writer", "/mnt", Some(50.0), Some(100.0));
        rate.figure = InterferenceFigure::MegabytesPerSecond;
        assert_eq!(rate.factor(), Some(2.0));
        assert_eq!(
            group("reader", "/mnt", Some(20.0), Some(10.0)).factor(),
            Some(2.0)
        );
    }

    #[test]
    fn what_was_not_measured_is_no_figure_and_gives_no_factor() {
        let mut rate = group("a|b", "/mnt", None, Some(1234.5678));
        rate.figure = InterferenceFigure::OperationsPerSecond;
        let table = Interference {
            groups: vec![rate, group("idle", "/mnt", Some(0.0), Some(5.0))],
        };
        assert_snapshot!(table.text(TableForm::Markdown), @r"
        |  nr | group | load | dir  | clients | unit           | together | expected | factor |
        | --: | ----- | ---- | ---- | ------: | -------------- | -------: | -------: | -----: |
        |   1 | a\|b  | read | /mnt |       1 | operations/sec |        - |  1234.57 |      - |
        |   2 | idle  | read | /mnt |       1 | s              |        0 |        5 |      - |

        expected: the group alone. factor: how many times as slow it is together; 1 is ideal.
        ");
        assert_snapshot!(table.text(TableForm::Csv), @r"
        nr,group,load,dir,clients,unit,together,expected,factor
        1,a|b,read,/mnt,1,operations/sec,,1234.57,
        2,idle,read,/mnt,1,s,0,5,
        ");
    }
}
