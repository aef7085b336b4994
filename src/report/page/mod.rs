//! A page for a browser: one file with everything in it.
//!
//! Pure functions from what was measured and judged to text. Nothing on the page is fetched from elsewhere.

mod comparison;
mod environment;
mod history;
mod parts;
mod runs;
mod style;
mod sweeps;
mod view;

use super::picture::{Picture, legible};
use crate::compare::Comparison;
use crate::history::Checked;
use crate::report::SweepTable;
use crate::result::Activity;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;
use std::iter;
pub use view::RunView;

/// Most runs that have a part of their own; of the others only the row of the table is there.
pub const MOST_RUNS: usize = 40;

/// What a page shows.
#[derive(Debug, Default)]
pub struct Page {
    /// Runs that belong to no sweep, in order.
    pub runs: Vec<RunView>,
    pub sweeps: Vec<SweepTable>,
    /// Or why the two must not be compared, line by line.
    pub comparison: Option<Result<Comparison, Vec<String>>>,
    pub history: Option<Checked>,
    /// Whose waiting grids show.
    pub bystander: Option<Activity>,
}

/// A part of the page: what its link says, and what is in it.
struct Part {
    id: &'static str,
    name: String,
    content: Markup,
}

impl Page {
    /// The whole page.
    pub fn html(&self) -> String {
        let parts = self.parts();
        let title = self.title();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // The browser would ask for one.
                    link rel="icon" href="data:,";
                    title { (title) }
                    style { (PreEscaped(style::sheet())) }
                }
                body {
                    a.skip href="#main" { "To the content" }
                    header {
                        h1 { (title) }
                        button #scheme type="button" hidden { "Dark or light" }
                        nav aria-label="Parts of this page" {
                            ul { @for part in &parts { li { a href={ "#" (part.id) } { (part.name) } } } }
                        }
                    }
                    main #main {
                        (self.headline())
                        @for part in &parts {
                            section #(part.id) aria-labelledby={ (part.id) "-heading" } {
                                h2 id={ (part.id) "-heading" } { (part.name) }
                                (part.content)
                            }
                        }
                    }
                    footer { p { "Written by rbench " (env!("CARGO_PKG_VERSION")) "." } }
                    script { (PreEscaped(style::SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    /// Its pictures, each with a name of its own.
    pub fn pictures(&self) -> Vec<Picture> {
        let mut all = Vec::new();
        all.extend(self.comparison.iter().flatten().map(comparison::picture));
        all.extend(self.history.iter().flat_map(history::pictures));
        all.extend(
            self.sweeps
                .iter()
                .flat_map(|sweep| sweeps::pictures(sweep, self.bystander())),
        );
        all.extend(runs::pictures(&self.runs));
        let mut known = BTreeSet::new();
        for picture in &mut all {
            let numbered = (2..).map(|number| format!("{}-{number}", picture.name));
            let mut names = iter::once(picture.name.clone()).chain(numbered);
            if let Some(free) = names.find(|name| !known.contains(name)) {
                known.insert(free.clone());
                picture.name = free;
            }
        }
        all
    }

    fn bystander(&self) -> Activity {
        self.bystander.unwrap_or(Activity::Save)
    }

    fn title(&self) -> String {
        let what = match (&self.comparison, &self.history, self.sweeps.is_empty()) {
            (Some(Ok(comparison)), _, _) => {
                format!("{} beside {}", comparison.candidate.name, comparison.base.name)
            }
            (_, Some(checked), _) => format!("the night of {}", checked.night),
            (_, _, false) => "a sweep".to_owned(),
            _ => match &self.runs[..] {
                [run] => run.name.clone(),
                runs => format!("{} runs", runs.len()),
            },
        };
        legible(&format!("rbench: {what}"))
    }

    /// What has become of it all, in words.
    fn headline(&self) -> Markup {
        html! {
            @if let Some(compared) = &self.comparison { (comparison::headline(compared)) }
            @if let Some(checked) = &self.history { (history::headline(checked)) }
        }
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut add = |id, name: &str, content: Option<Markup>| {
            parts.extend(content.map(|content| Part {
                id,
                name: name.to_owned(),
                content,
            }));
        };
        add(
            "comparison",
            "Comparison",
            self.comparison.as_ref().map(comparison::section),
        );
        add("history", "History", self.history.as_ref().map(history::section));
        let sweeps = (!self.sweeps.is_empty()).then(|| sweeps::section(&self.sweeps, self.bystander()));
        add("sweeps", "Sweep", sweeps);
        let any_runs = !self.runs.is_empty();
        add("runs", "Runs", any_runs.then(|| runs::section(&self.runs)));
        add("warnings", "Warnings", environment::warnings(&self.runs));
        add("environment", "Environment", environment::section(&self.runs));
        parts
    }
}
