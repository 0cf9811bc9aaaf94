//! Parquet and Arrow files as lines of JSON: a row is a line, and there are only ever some of them in memory.

mod arrow_file;
mod footer;
mod lines;
mod parquet_file;

use std::ffi::c_char;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek};
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::RecordBatch;

use crate::ffi::{guard, guard_value, panic_text, put_string, text, IltString};
use lines::Lines;

/// A file's rows in order. Errors name rows, the part of the file that they are in, and the column where it can be told.
trait Source {
    /// The next rows; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, String>;
    /// How many bytes of the file the rows so far have taken.
    fn position(&self) -> u64;
}

/// Runs code of the crates, which may panic over broken files.
fn attempt<T, E: Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panic_text)?.map_err(|e| e.to_string())
}

/// The first of the columns that `read` fails for, as a part of a message; else nothing.
fn blame<'a>(columns: impl Iterator<Item = &'a str>, mut read: impl FnMut(usize) -> Result<(), String>) -> String {
    for (i, name) in columns.enumerate() {
        if read(i).is_err() {
            return format!(", column {name:?}");
        }
    }
    String::new()
}

pub struct Rows {
    source: Box<dyn Source>,
    lines: Lines,
    batch: Option<RecordBatch>,
    /// How many rows of the batch, and of the file, have become lines.
    done_of_batch: usize,
    done: u64,
}

impl Rows {
    fn open(path: &str) -> Result<Self, String> {
        let mut file = File::open(path).map_err(|e| e.to_string())?;
        let mut head = Vec::new();
        file.by_ref().take(6).read_to_end(&mut head).map_err(|e| e.to_string())?;
        file.rewind().map_err(|e| e.to_string())?;
        let source: Box<dyn Source> = if head.starts_with(b"PAR1") {
            Box::new(parquet_file::ParquetFile::open(file)?)
        } else {
            Box::new(arrow_file::ArrowFile::open(file, head == b"ARROW1")?)
        };
        Ok(Self { source, lines: Lines::default(), batch: None, done_of_batch: 0, done: 0 })
    }

    /// The next rows as lines; nothing at the end.
    fn next(&mut self) -> Result<Vec<u8>, String> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.done_of_batch < batch.num_rows()) {
                let (count, bytes) = self.lines.write(batch, self.done_of_batch, self.done)?;
                self.done_of_batch += count;
                self.done += count as u64;
                return Ok(bytes);
            }
            self.done_of_batch = 0;
            self.batch = None; // before the next one is read: one at a time
            self.batch = self.source.next()?;
            if self.batch.is_none() {
                return Ok(Vec::new());
            }
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_rows_open(
    path: *const c_char,
    size: usize,
    out: *mut *mut Rows,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        *out = Box::into_raw(Box::new(Rows::open(text(path, size)?)?));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_rows_free(rows: *mut Rows) {
    if !rows.is_null() {
        guard_value((), || drop(Box::from_raw(rows)))
    }
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_rows_next(rows: *mut Rows, out: *mut IltString, error: *mut IltString) -> i32 {
    guard(error, || {
        let lines = (*rows).next()?;
        put_string(out, String::from_utf8(lines).map_err(|e| e.to_string())?);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_rows_position(rows: *const Rows) -> u64 {
    guard_value(0, || (*rows).source.position())
}
