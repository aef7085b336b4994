//! By how much equal runs differ.

use super::record::nanoseconds;
use super::{Store, StoreError};
use crate::compare::{CellKey, Metric};
use crate::stats::{LEAST_PAIRS, Scale, shift_of_pairs};
use jiff::Timestamp;
use rusqlite::params;
use std::collections::BTreeMap;

/// The pairs of each campaign: when it was started, whether they confirm others, and the figures of the sides.
type Campaigns = BTreeMap<(i64, bool), Vec<(f64, f64)>>;

/// Both sides are of one cell (and so have the same options), and were made by the same commands.
const PAIRS: &str = "
SELECT a.campaign, a.confirms, fa.value, fb.value
FROM turns a
JOIN turns b ON b.campaign = a.campaign AND b.confirms = a.confirms AND b.pair = a.pair AND b.side = 'b' AND b.what = a.what
JOIN runs ra ON ra.id = a.run_id
JOIN runs rb ON rb.id = b.run_id
JOIN figures fa ON fa.run_id = ra.id AND fa.metric = ?2
JOIN figures fb ON fb.run_id = rb.id AND fb.metric = ?2
WHERE a.side = 'a' AND ra.cell_sha256 = ?1 AND rb.cell_sha256 = ?1
";

impl Store {
    /// By how much the two sides of each stored campaign of `rbench ab` differ whose sides were the same: absolute
    /// logarithms of ratios, or amounts, as [`Metric::scale`] says; Hodges-Lehmann estimates over its pairs. Campaigns of
    /// fewer than [`LEAST_PAIRS`] pairs tell of nothing that is judged, and those of `except` (when they were started) are
    /// what is to be judged.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn aa_differences(
        &self,
        cell: &CellKey,
        metric: Metric,
        except: &[Timestamp],
    ) -> Result<Vec<f64>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(PAIRS).map_err(failed)?;
        let rows = statement
            .query_map(params![cell.sha256, metric.to_string()], |row| {
                Ok((
                    (row.get(0)?, row.get(1)?),
                    (row.get::<_, f64>(2)?, row.get::<_, f64>(3)?),
                ))
            })
            .map_err(failed)?;
        let mut campaigns = Campaigns::new();
        for row in rows {
            let (campaign, pair) = row.map_err(failed)?;
            campaigns.entry(campaign).or_default().push(pair);
        }
        for started_at in except {
            let started_at = nanoseconds(*started_at);
            campaigns.retain(|(campaign, _), _| *campaign != started_at);
        }
        let difference = |pairs: &Vec<(f64, f64)>| {
            let differences = pairs.iter().map(|(a, b)| match metric.scale() {
                Scale::Ratio => (b / a).ln(),
                Scale::Difference => b - a,
            });
            let differences: Vec<f64> = differences.filter(|difference| difference.is_finite()).collect();
            if differences.len() < LEAST_PAIRS {
                return None;
            }
            Some(shift_of_pairs(&differences)?.point.abs())
        };
        Ok(campaigns.values().filter_map(difference).collect())
    }
}
