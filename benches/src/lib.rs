//! The work that the project's figures measure, and how instructions are counted.

pub mod canonical;
pub mod instructions;
pub mod store;
pub mod work;
