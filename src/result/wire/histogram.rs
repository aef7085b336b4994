//! Histograms in files: figures for people and programs, and the whole in the standard encoding of HDR histograms.

use crate::measure::recorder::{longest_of, quantile_of};
use crate::result::{Lag, OperationResult, RunResult};
use crate::units::nanos::whole;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Read;
use std::time::Duration;

/// Most bytes of counts that are read: several times what the finest histogram of 64-bit values needs.
const LONGEST: u32 = 64 << 20;
/// The most digits that a histogram of ours has, and more nanoseconds than any operation takes: 13 days.
const MOST_DIGITS: u32 = 3;
const HIGHEST: u64 = 1 << 50;

/// Latencies in nanoseconds. Percentiles are at most 3 % off, and never above the slowest; where there are no latencies,
/// there are no figures.
#[derive(Serialize, Deserialize)]
pub(super) struct WireHistogram {
    #[serde(skip_deserializing)]
    count: u64,
    #[serde(skip_deserializing)]
    min_ns: Option<u64>,
    #[serde(skip_deserializing)]
    mean_ns: Option<f64>,
    #[serde(skip_deserializing)]
    p50_ns: Option<u64>,
    #[serde(skip_deserializing)]
    p95_ns: Option<u64>,
    #[serde(skip_deserializing)]
    p99_ns: Option<u64>,
    #[serde(skip_deserializing)]
    p999_ns: Option<u64>,
    #[serde(skip_deserializing)]
    max_ns: Option<u64>,
    #[serde(with = "encoded")]
    pub histogram: Histogram<u64>,
}

impl WireHistogram {
    /// Of all operations of a run.
    pub fn of_run(run: &RunResult) -> WireHistogram {
        let mean = mean(run.total_latency(), run.total_operations());
        let slowest = Some(run.max_latency());
        WireHistogram::new(&run.latency, mean, slowest, |quantile| run.percentile(quantile))
    }

    /// Of a histogram by itself.
    pub fn of(histogram: &Histogram<u64>) -> WireHistogram {
        let most = longest_of(histogram);
        let quantile = |quantile| quantile_of(histogram, quantile, most);
        let mean = (!histogram.is_empty()).then(|| histogram.mean());
        WireHistogram::new(histogram, mean, Some(most), quantile)
    }

    fn new(
        histogram: &Histogram<u64>,
        mean_ns: Option<f64>,
        slowest: Option<Duration>,
        percentile: impl Fn(f64) -> Option<Duration>,
    ) -> WireHistogram {
        let quantile = |quantile| percentile(quantile).map(whole);
        let slowest = slowest.map(whole);
        let any = !histogram.is_empty();
        WireHistogram {
            count: histogram.len(),
            min_ns: any.then(|| histogram.min().min(slowest.unwrap_or(u64::MAX))),
            mean_ns: mean_ns.filter(|_| any),
            p50_ns: quantile(0.5),
            p95_ns: quantile(0.95),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            max_ns: slowest.filter(|_| any),
            histogram: histogram.clone(),
        }
    }
}

impl From<&OperationResult> for WireHistogram {
    fn from(operation: &OperationResult) -> WireHistogram {
        let mean = mean(operation.total, operation.count);
        let slowest = Some(operation.slowest.latency);
        WireHistogram::new(&operation.latency, mean, slowest, |quantile| {
            operation.percentile(quantile)
        })
    }
}

impl From<&Lag> for WireHistogram {
    fn from(lag: &Lag) -> WireHistogram {
        let mean = Some(lag.histogram.mean());
        WireHistogram::new(&lag.histogram, mean, lag.percentile(1.0), |quantile| {
            lag.percentile(quantile)
        })
    }
}

/// The mean of so many, exact where the histogram's is not.
fn mean(total: Duration, count: u64) -> Option<f64> {
    (count > 0).then(|| total.as_nanos() as f64 / count as f64)
}

/// Base64 (RFC 4648) of the compressed form V2, as other HDR histogram tools write and read it.
mod encoded {
    use super::*;
    use serde::ser::Error as _;

    pub fn serialize<S: serde::Serializer>(
        histogram: &Histogram<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(histogram, &mut bytes)
            .map_err(|error| S::Error::custom(format!("a histogram cannot be encoded: {error}")))?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Histogram<u64>, D::Error> {
        deserializer.deserialize_str(Text)
    }

    /// Decodes the text where it stands, so that an error is told with its place.
    struct Text;

    impl serde::de::Visitor<'_> for Text {
        type Value = Histogram<u64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an encoded HDR histogram")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Histogram<u64>, E> {
            decode(text).map_err(|why| {
                E::custom(format!(
                    "the text is no HDR histogram (base64 of the compressed V2 form): {why}"
                ))
            })
        }
    }

    fn decode(text: &str) -> Result<Histogram<u64>, String> {
        let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
        // The decoder makes room for as many bytes as the text claims to hold.
        let claimed = claimed(&bytes).ok_or("it is cut short")?;
        if claimed > LONGEST {
            return Err(format!("it claims to be {claimed} bytes long"));
        }
        // So much memory as its range and precision ask for would be taken, however few counts there are.
        let (digits, highest) = range(&bytes).ok_or("it is cut short")?;
        if digits > MOST_DIGITS || highest > HIGHEST {
            return Err(format!(
                "it claims {digits} digits for values up to {highest}, and results have at most {MOST_DIGITS} for {HIGHEST}"
            ));
        }
        Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(|error| error.to_string())
    }

    /// Significant digits, and the highest value: the fourth and the sixth field of the inner header.
    fn range(bytes: &[u8]) -> Option<(u32, u64)> {
        let mut header = [0; 32];
        ZlibDecoder::new(bytes.get(8..)?).read_exact(&mut header).ok()?;
        let digits = u32::from_be_bytes(header[12..16].try_into().ok()?);
        let highest = u64::from_be_bytes(header[24..32].try_into().ok()?);
        Some((digits, highest))
    }

    /// How many bytes of counts follow the header: a cookie and a length outside, and the same compressed.
    fn claimed(bytes: &[u8]) -> Option<u32> {
        let mut header = [0; 8];
        ZlibDecoder::new(bytes.get(8..)?).read_exact(&mut header).ok()?;
        let length = header[4..].try_into().ok()?;
        Some(u32::from_be_bytes(length))
    }
}
