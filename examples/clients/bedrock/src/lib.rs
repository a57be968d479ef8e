//! Parts of a program over `aws-sdk-bedrockruntime` that other programs can copy.

pub mod document;
