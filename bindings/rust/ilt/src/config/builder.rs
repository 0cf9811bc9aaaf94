//! What the generated options are made of: the macros behind `ConfigBuilder` and its enums.

use serde::{Deserialize, Serialize};

use super::options::ConfigBuilder;
use crate::{Config, Result, ffi};

impl ConfigBuilder {
    /// A configuration of these options, the others at their defaults.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config): a value that the option does not take (detail `key`, `got`, `expected`).
    pub fn build(&self) -> Result<Config> {
        Config::from_json(&ffi::to_json(self)?)
    }
}

/// One string, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One string.
    One(String),
    /// Any number of them.
    More(Vec<String>),
}

impl From<&str> for OneOrMore {
    fn from(one: &str) -> Self {
        Self::One(one.to_owned())
    }
}

impl From<String> for OneOrMore {
    fn from(one: String) -> Self {
        Self::One(one)
    }
}

impl From<std::borrow::Cow<'_, str>> for OneOrMore {
    fn from(one: std::borrow::Cow<'_, str>) -> Self {
        Self::One(one.into_owned())
    }
}

impl<S: Into<String>> From<Vec<S>> for OneOrMore {
    fn from(more: Vec<S>) -> Self {
        Self::More(more.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for OneOrMore {
    fn from(more: [S; N]) -> Self {
        Self::More(more.into_iter().map(Into::into).collect())
    }
}

/// Makes the builder: a field for each option, which is unset at first, and a method that sets it. `=> into` after
/// the type lets the method take whatever becomes it.
macro_rules! options {
    ($($(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])? $name:ident: $type:ty $(=> $into:ident)?,)*) => {
        /// Typed options of a run; each that is not set has its default.
        ///
        /// It reads and writes any format of serde: options are named as everywhere in libilt, and an unknown one is an
        /// error.
        #[derive(Debug, Clone, Default, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[must_use]
        pub struct ConfigBuilder {
            $(
                #[serde(skip_serializing_if = "Option::is_none" $(, $($serde)*)?)]
                $name: Option<$type>,
            )*
        }

        impl ConfigBuilder {
            $(
                $(#[doc = $doc])*
                pub fn $name(mut self, $name: options!(@argument $type $(=> $into)?)) -> Self {
                    self.$name = Some(options!(@value $($into)? $name));
                    self
                }
            )*
        }
    };
    (@argument $type:ty => into) => { impl Into<$type> };
    (@argument $type:ty) => { $type };
    (@value into $value:ident) => { $value.into() };
    (@value $value:ident) => { $value };
}

/// Makes the type of an option that has choices.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                #[serde(rename = $text)]
                $variant,
            )*
        }
    };
}

pub(super) use {choices, options};
