//! What judgements rest on: known figures, properties, and how often verdicts are wrong.

mod chance;
mod exact;
mod properties;
mod vectors;
mod vectors_nights;
