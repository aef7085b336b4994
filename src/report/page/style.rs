//! How a page looks, and the little that it does.

use super::super::picture::ink::{IN_THE_DARK, hex};

/// Colours by name, light and dark: each text has a contrast of 4.5 and more to what is behind it (WCAG 2.1, AA).
const LIGHT: &str = "--paper:#fffffe;--ink:#1d1d1f;--faint:#55555d;--rule:#d9d9de;--link:#004f8a;--worse:#b03a0c;\
                     --better:#006b4f;--field:#f4f5f7";
const DARK: &str = "--paper:#181a1f;--ink:#ececf0;--faint:#b4b7c0;--rule:#3a3e47;--link:#8cc4f7;--worse:#ff9b70;\
                    --better:#5fd3ae;--field:#22252c";

const RULES: &str = "
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0 auto;max-width:76rem;padding:0 1rem 3rem;background:var(--paper);color:var(--ink);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.25rem;margin-top:2.5rem;border-bottom:1px solid var(--rule)}h3{font-size:1.05rem}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.25rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;list-style:none}
nav a,summary{display:inline-block;padding:.3rem 0}
summary{display:list-item;cursor:pointer}
button{font:inherit;padding:.3rem .8rem;color:var(--ink);background:var(--field);border:1px solid var(--faint);
border-radius:.3rem}
.verdict{padding:.6rem .8rem;border-left:.4rem solid var(--faint);background:var(--field)}
.worse{border-color:var(--worse)}.fine{border-color:var(--better)}
figure{margin:1.5rem 0}.drawn{margin:0}figure svg{width:100%;min-width:34rem;height:auto;display:block;border:1px solid var(--rule)}
.told,footer{color:var(--faint);font-size:.9rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap;vertical-align:top}
th:first-child,td:last-child{text-align:left}
#environment td{white-space:normal;text-align:left}
@media print{
body{max-width:none;font-size:10pt}nav,button,.skip{display:none!important}
figure,tr{break-inside:avoid}.scroll{overflow:visible}figure svg{min-width:0}
details:not([open])::details-content{content-visibility:visible;block-size:auto}
table{font-size:7.5pt}th,td{white-space:normal;padding:.1rem .3rem}}
";

/// Shows the button, which nothing needs, and remembers nothing.
pub(super) const SCRIPT: &str = "
(function () {
  var button = document.getElementById('scheme'), root = document.documentElement;
  button.hidden = false;
  button.addEventListener('click', function () {
    var dark = root.dataset.scheme ? root.dataset.scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.scheme = dark ? 'light' : 'dark';
  });
  addEventListener('beforeprint', function () {
    document.querySelectorAll('details').forEach(function (part) { part.open = true; });
  });
})();
";

/// The style sheet.
pub(super) fn sheet() -> String {
    // Paper is light, whatever the screen is.
    let dark = |root: &str| format!("{root}{{{DARK};color-scheme:dark}}{}", pictures(root));
    format!(
        ":root{{{LIGHT}}}{RULES}@media screen and (prefers-color-scheme:dark){{{}}}@media screen{{{}}}\
         :root[data-scheme=light]{{color-scheme:light}}",
        dark(":root:not([data-scheme=light])"),
        dark(":root[data-scheme=dark]")
    )
}

/// The colours of pictures, replaced: what a style sheet says goes before what stands in the picture.
fn pictures(root: &str) -> String {
    let replaced = IN_THE_DARK.map(|(from, to)| {
        let (from, to) = (hex(from), hex(to));
        format!("{root} svg [fill=\"{from}\"]{{fill:{to}}}{root} svg [stroke=\"{from}\"]{{stroke:{to}}}")
    });
    replaced.concat()
}
