//! Which layouts a sweep fits, and which one its axes suggest.

use super::axes::Axis;
use super::sweep::Sweep;
use super::{Layout, LayoutError, tio};
use crate::report::printable;
use crate::result::AxisKind;

/// The layout that axes suggest. docs/tables.md tells the rule.
pub(super) fn default_layout(axes: &[Axis]) -> Layout {
    let several: Vec<&Axis> = axes.iter().filter(|axis| axis.has_several()).collect();
    if several.iter().any(|axis| is_affinity(&axis.kind)) {
        return Layout::Affinity;
    }
    let has = |kind: &AxisKind| several.iter().any(|axis| axis.kind == *kind);
    let only = |kinds: &[&AxisKind]| several.iter().all(|axis| kinds.contains(&&axis.kind));
    let (block, size) = (tio::block(), tio::size());
    let (clients, load, directory) = (&AxisKind::Clients, &AxisKind::Load, &AxisKind::Directory);
    let loads = axes.iter().find(|axis| axis.kind == *load);
    let patterns = loads.is_some_and(|loads| tio::are_patterns(&loads.values));
    if patterns && has(&block) && has(clients) && only(&[load, &block, clients]) {
        return Layout::Iops;
    }
    let all_four = patterns && loads.is_some_and(|loads| loads.values.len() == tio::PATTERNS.len());
    if all_four && only(&[load, &block, clients, directory, &size]) {
        return Layout::Tio;
    }
    if several.len() == 2 {
        Layout::Grid
    } else {
        Layout::Long
    }
}

/// Whether an axis is one of pinning, or of where requests are completed.
pub(super) fn is_affinity(kind: &AxisKind) -> bool {
    match kind {
        AxisKind::Pin => true,
        AxisKind::Sysfs(path) => path.ends_with("queue/rq_affinity"),
        _ => false,
    }
}

/// What a layout needs that the axes have not.
fn missing(layout: Layout, axes: &[Axis]) -> Option<&'static str> {
    let has = |kind: &AxisKind| axes.iter().any(|axis| axis.kind == *kind);
    let several = axes.iter().filter(|axis| axis.has_several()).count();
    let patterns = || {
        let loads = axes.iter().find(|axis| axis.kind == AxisKind::Load);
        loads.is_some_and(|loads| tio::are_patterns(&loads.values))
    };
    match layout {
        Layout::Grid if several < 2 => Some("two axes with more than one value"),
        Layout::Tio if !patterns() => Some("a load axis of seqrd, rndrd, seqwr and rndwr"),
        Layout::Iops if !has(&tio::block()) && !has(&AxisKind::Clients) => {
            Some("an axis of the parameter block, and one of clients")
        }
        Layout::Iops if !has(&tio::block()) => Some("an axis of the parameter block"),
        Layout::Iops if !has(&AxisKind::Clients) => Some("an axis of clients"),
        Layout::Affinity if !axes.iter().any(|axis| is_affinity(&axis.kind)) => {
            Some("an axis of pin, or of queue/rq_affinity in /sys")
        }
        _ => None,
    }
}

/// Refuses a layout that needs other axes.
///
/// # Errors
/// It does.
pub(super) fn check(layout: Layout, sweep: &Sweep) -> Result<(), LayoutError> {
    let Some(missing_here) = missing(layout, &sweep.axes) else {
        return Ok(());
    };
    let all = [
        Layout::Grid,
        Layout::Tio,
        Layout::Iops,
        Layout::Affinity,
        Layout::Long,
    ];
    let fits = all
        .into_iter()
        .filter(|&layout| missing(layout, &sweep.axes).is_none());
    let has: Vec<String> = sweep
        .axes
        .iter()
        .map(|axis| printable(&format!("{} with {}", axis.kind, values(axis.values.len()))))
        .collect();
    Err(LayoutError::Missing {
        layout,
        missing: missing_here,
        has: if has.is_empty() {
            "no axis".to_owned()
        } else {
            has.join(", ")
        },
        fits: fits
            .map(|layout| layout.to_string())
            .collect::<Vec<_>>()
            .join(" or "),
    })
}

fn values(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} value{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(kind: AxisKind, values: &[&str]) -> Axis {
        Axis {
            kind,
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }
    }

    #[test]
    fn the_axes_suggest_the_layout() {
        let sysctl = |name: &str| axis(AxisKind::Sysctl(name.into()), &["1", "2"]);
        let loads = |names: &[&str]| axis(AxisKind::Load, names);
        let block = || axis(tio::block(), &["512", "4K"]);
        let clients = || axis(AxisKind::Clients, &["1", "2"]);
        let directories = || axis(AxisKind::Directory, &["/a", "/b"]);
        let four = ["seqrd", "rndrd", "seqwr", "rndwr"];
        let affinity = axis(AxisKind::Sysfs("block/sda/queue/rq_affinity".into()), &["0", "1"]);
        let cases: Vec<(Vec<Axis>, Layout)> = vec![
            (
                vec![sysctl("vm.dirty_background_ratio"), sysctl("vm.dirty_ratio")],
                Layout::Grid,
            ),
            (
                vec![sysctl("a"), axis(AxisKind::Clients, &["8"]), sysctl("b")],
                Layout::Grid,
            ),
            (vec![sysctl("a")], Layout::Long),
            (vec![sysctl("a"), sysctl("b"), sysctl("c")], Layout::Long),
            (vec![loads(&four), clients()], Layout::Tio),
            (vec![loads(&four), block()], Layout::Tio),
            (vec![directories(), loads(&four), block(), clients()], Layout::Tio),
            (vec![loads(&four), block(), clients()], Layout::Iops),
            (vec![loads(&["seqwr"]), block(), clients()], Layout::Iops),
            (
                vec![loads(&["loads/seqwr.load", "rndwr.load.gz"]), block(), clients()],
                Layout::Iops,
            ),
            (vec![loads(&["seqrd", "client"]), clients()], Layout::Grid),
            (vec![block(), clients()], Layout::Grid),
            (vec![loads(&four), clients(), sysctl("a")], Layout::Long),
            (vec![axis(AxisKind::Pin, &["none", "spread"])], Layout::Affinity),
            (
                vec![axis(AxisKind::Pin, &["none"]), clients(), block()],
                Layout::Grid,
            ),
            (vec![affinity, clients()], Layout::Affinity),
            (vec![], Layout::Long),
        ];
        for (axes, layout) in cases {
            assert_eq!(default_layout(&axes), layout, "{axes:?}");
        }
    }

    #[test]
    fn the_layout_that_is_suggested_fits() {
        let sizes: [&[&str]; 2] = [&["1"], &["1", "2"]];
        let kinds = [
            AxisKind::Clients,
            AxisKind::Pin,
            AxisKind::Directory,
            tio::block(),
        ];
        for picked in 0..81u32 {
            let axes: Vec<Axis> = (0..4usize)
                .filter_map(|axis| {
                    let size = picked / 3u32.pow(axis as u32) % 3;
                    let values = *sizes.get(size as usize)?;
                    Some(super::tests::axis(kinds[axis].clone(), values))
                })
                .collect();
            assert_eq!(missing(default_layout(&axes), &axes), None, "{axes:?}");
        }
    }
}
