//! What tracefs tells of a tracepoint: its number, and where its fields are in a record.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where tracefs is mounted: by itself, or below debugfs, which mounts it when it is looked at.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    offset: usize,
    size: usize,
}

impl Field {
    /// Its value in a record; none where the record is too short.
    fn read(self, record: &[u8]) -> Option<u64> {
        let bytes = record.get(self.offset..self.offset.checked_add(self.size)?)?;
        match *bytes {
            [a, b, c, d] => Some(u64::from(u32::from_ne_bytes([a, b, c, d]))),
            [a, b, c, d, e, f, g, h] => Some(u64::from_ne_bytes([a, b, c, d, e, f, g, h])),
            _ => None,
        }
    }
}

/// The part of a device that a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// As the kernel holds it: major << 20 | minor.
    pub device: u64,
    pub sector: u64,
    /// None in a flush.
    pub sectors: u64,
}

/// A tracepoint of block requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tracepoint {
    pub id: u64,
    device: Field,
    sector: Field,
    sectors: Field,
}

impl Tracepoint {
    /// Reads what is below `events/block/NAME`.
    ///
    /// # Errors
    /// It is not there or may not be read; it has other fields than all kernels so far.
    pub(super) fn read(tracefs: &Path, name: &str) -> io::Result<Tracepoint> {
        let directory = tracefs.join("events/block").join(name);
        let id = fs::read_to_string(directory.join("id"))?;
        let format = fs::read_to_string(directory.join("format"))?;
        Tracepoint::of(&id, &format).ok_or_else(|| {
            let what = format!("{}: not of the form that is known", directory.display());
            io::Error::new(io::ErrorKind::InvalidData, what)
        })
    }

    fn of(id: &str, format: &str) -> Option<Tracepoint> {
        Some(Tracepoint {
            id: id.trim().parse().ok()?,
            device: field(format, "dev")?,
            sector: field(format, "sector")?,
            sectors: field(format, "nr_sector")?,
        })
    }

    /// What a record of it is about.
    pub(super) fn extent(&self, record: &[u8]) -> Option<Extent> {
        Some(Extent {
            device: self.device.read(record)?,
            sector: self.sector.read(record)?,
            sectors: self.sectors.read(record)?,
        })
    }
}

/// Finds a field in lines such as `field:sector_t sector; offset:16; size:8; signed:0;`.
fn field(format: &str, name: &str) -> Option<Field> {
    let line = format.lines().find(|line| {
        let declaration = line.trim().strip_prefix("field:");
        let declaration = declaration.and_then(|rest| rest.split(';').next());
        declaration.and_then(|text| text.split_whitespace().last()) == Some(name)
    })?;
    let number = |key: &str| {
        let mut parts = line.split(';').map(str::trim);
        parts.find_map(|part| part.strip_prefix(key))?.parse().ok()
    };
    let field = Field {
        offset: number("offset:")?,
        size: number("size:")?,
    };
    [4, 8].contains(&field.size).then_some(field)
}

/// The mounted tracefs.
///
/// # Errors
/// There is none; it may not be looked at.
pub(super) fn tracefs() -> io::Result<PathBuf> {
    let mut why = io::Error::from(io::ErrorKind::NotFound);
    for place in PLACES {
        let place = PathBuf::from(place);
        match fs::metadata(place.join("events/block")) {
            Ok(_) => return Ok(place),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: block_rq_issue\nID: 2104\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
        \tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n\
        \tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n\n\
        print fmt: \"%d,%d\", REC->dev\n";

    #[test]
    fn fields_are_read_from_where_the_format_says() {
        let tracepoint = Tracepoint::of("2104\n", FORMAT).unwrap();
        assert_eq!(tracepoint.id, 2104);
        let mut record = [0; 28];
        record[8..12].copy_from_slice(&0x0070_0001u32.to_ne_bytes());
        record[16..24].copy_from_slice(&(1u64 << 40).to_ne_bytes());
        record[24..28].copy_from_slice(&8u32.to_ne_bytes());
        let expected = Extent {
            device: 7 << 20 | 1,
            sector: 1 << 40,
            sectors: 8,
        };
        assert_eq!(tracepoint.extent(&record), Some(expected));
        assert_eq!(tracepoint.extent(&record[..27]), None);
    }

    #[test]
    fn a_format_without_a_field_or_with_one_of_another_size_is_not_known() {
        assert_eq!(Tracepoint::of("x", FORMAT), None);
        assert_eq!(
            Tracepoint::of("1", &FORMAT.replace("sector_t sector;", "sector_t place;")),
            None
        );
        let short = FORMAT.replace("sector;\toffset:16;\tsize:8", "sector;\toffset:16;\tsize:2");
        assert_eq!(Tracepoint::of("1", &short), None);
    }
}
