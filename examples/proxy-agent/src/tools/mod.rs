//! The tools of the demonstration: one file or folder for each type of `act::ToolType`.

mod files;
mod handbook;
pub(crate) mod python;
mod rates;
mod village;

pub(crate) use self::files::Files;
pub(crate) use self::handbook::Handbook;
pub use self::python::PythonFunctions;
pub(crate) use self::rates::Rates;
pub(crate) use self::village::Village;
