//! The colours of pictures. A page finds them by their values, and puts others in their place where it is dark.

use plotters::style::RGBColor;

/// Behind everything.
pub const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFE);
/// Text and axes.
pub const INK: RGBColor = RGBColor(0x1D, 0x1D, 0x1F);
/// What is said beside, and lines behind the figures.
pub const FAINT: RGBColor = RGBColor(0x60, 0x60, 0x68);
/// The lines of a grid.
pub const RULE: RGBColor = RGBColor(0xD9, 0xD9, 0xDE);
/// A range within which nothing matters.
pub const BAND: RGBColor = RGBColor(0xE9, 0xEC, 0xF1);
/// For the worse.
pub const WORSE: RGBColor = RGBColor(0xB0, 0x3A, 0x0C);
/// For the better.
pub const BETTER: RGBColor = RGBColor(0x00, 0x6B, 0x4F);
/// Lines and points that are told apart by their shapes too: Okabe and Ito's palette, darkened for white paper.
pub const SERIES: [RGBColor; 4] = [
    RGBColor(0x00, 0x5F, 0x9E),
    RGBColor(0xA3, 0x4A, 0x00),
    RGBColor(0x00, 0x7A, 0x5A),
    RGBColor(0x8C, 0x3B, 0x73),
];
/// The ends of the scale of a heat map.
pub const COLD: RGBColor = RGBColor(0xF3, 0xF6, 0xFB);
pub const HOT: RGBColor = RGBColor(0x17, 0x4A, 0x7C);

/// Text on the fields of a heat map, which are the same in the dark.
pub const ON_COLD: RGBColor = RGBColor(0x1D, 0x1D, 0x20);
pub const ON_HOT: RGBColor = RGBColor(0xFF, 0xFF, 0xFD);

/// All that a page replaces in the dark, with what it puts in their place.
pub const IN_THE_DARK: [(RGBColor, RGBColor); 11] = [
    (PAPER, RGBColor(0x18, 0x1A, 0x1F)),
    (INK, RGBColor(0xEC, 0xEC, 0xF0)),
    (FAINT, RGBColor(0xAE, 0xB1, 0xBA)),
    (RULE, RGBColor(0x3A, 0x3E, 0x47)),
    (BAND, RGBColor(0x2B, 0x30, 0x3A)),
    (WORSE, RGBColor(0xFF, 0x9B, 0x70)),
    (BETTER, RGBColor(0x5F, 0xD3, 0xAE)),
    (SERIES[0], RGBColor(0x72, 0xB7, 0xF2)),
    (SERIES[1], RGBColor(0xF0, 0xA0, 0x5A)),
    (SERIES[2], RGBColor(0x63, 0xCF, 0xA9)),
    (SERIES[3], RGBColor(0xE0, 0x9B, 0xCB)),
];

/// A colour as it stands in an SVG file.
pub fn hex(colour: RGBColor) -> String {
    let RGBColor(red, green, blue) = colour;
    format!("#{red:02X}{green:02X}{blue:02X}")
}
