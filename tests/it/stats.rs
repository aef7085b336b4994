//! What judgements rest on: known figures, properties, and how often verdicts are wrong.

mod exact;
