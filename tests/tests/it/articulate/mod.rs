//! Documents in the format that takes the fewest tokens: real ones, and generated ones.

mod corpus;
mod documents;
mod generated;
mod hostile;
mod oracle;
