//! What all parts of a page are made of.

use super::super::picture::{FigureTable, Picture, legible};
use maud::{Markup, PreEscaped, html};

/// A table that scrolls by itself where it is wider than the page, also by the keys.
pub(super) fn table(caption: &str, headings: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(legible(caption)) {
            table {
                caption { (legible(caption)) }
                thead { tr { @for heading in headings { th scope="col" { (legible(heading)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (legible(cell)) } }
                                @else { td { (legible(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A picture with its words, and its figures for those who want them.
pub(super) fn figure(picture: &Picture) -> Markup {
    html! {
        figure {
            figcaption { strong { (picture.title) } }
            div.scroll.drawn tabindex="0" role="group" aria-label={ "Picture: " (picture.title) } {
                (PreEscaped(&picture.svg))
            }
            p.told { (picture.description) }
            @if let Some(figures) = &picture.table { (details(&picture.title, figures)) }
        }
    }
}

fn details(title: &str, figures: &FigureTable) -> Markup {
    html! {
        details {
            summary { "Figures: " (title) }
            (table(&format!("Figures: {title}"), &figures.headings, &figures.rows))
        }
    }
}

/// Texts of a program's, as headings.
pub(super) fn headings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}
