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

/// A colour as it stands in an SVG file.
pub fn hex(colour: RGBColor) -> String {
    let RGBColor(red, green, blue) = colour;
    format!("#{red:02X}{green:02X}{blue:02X}")
}
