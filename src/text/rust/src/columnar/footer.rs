//! Looks at a Parquet footer's schema before the parquet crate does, which descends into it without a bound and reserves
//! as many children as a group says it has: a stack overflow or a failed allocation cannot be caught.
//!
//! Format: Thrift's compact protocol, https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md;
//! fields: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

const MAX_DEPTH: usize = 64;

// Types of the compact protocol.
const STOP: u8 = 0;
const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

// Field numbers of FileMetaData and SchemaElement.
const SCHEMA: i64 = 2;
const NUM_CHILDREN: i64 = 5;

struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Number and type of the next field after number `last`; the type is STOP at the struct's end.
    fn field(&mut self, last: i64) -> Option<(i64, u8)> {
        let head = self.byte()?;
        let (step, kind) = (i64::from(head >> 4), head & 0x0F);
        let number = if kind == STOP || step > 0 { last.checked_add(step)? } else { self.signed()? };
        Some((number, kind))
    }

    /// Count and type of the list's elements.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
        Some((count, head & 0x0F))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            1 | 2 => Some(()), // true, false
            3 => self.pass(1),
            4..=6 => self.unsigned().map(drop),
            7 => self.pass(8),
            8 => self.unsigned().and_then(|size| self.pass(size)),
            LIST | 10 => {
                let (count, of) = self.list()?;
                for _ in 0..count {
                    // A boolean takes no byte as a field, but one as an element.
                    if of <= 2 {
                        self.pass(1)?
                    } else {
                        self.skip(of, depth + 1)?
                    }
                }
                Some(())
            }
            STRUCT => {
                let mut last = 0;
                loop {
                    let (number, kind) = self.field(last)?;
                    if kind == STOP {
                        return Some(());
                    }
                    self.skip(kind, depth + 1)?;
                    last = number;
                }
            }
            _ => None,
        }
    }

    /// The elements' numbers of children, in the tree's order, parents first.
    fn schema(&mut self) -> Option<Vec<u64>> {
        let mut last = 0;
        loop {
            let (number, kind) = self.field(last)?;
            match (number, kind) {
                (_, STOP) => return None,
                (SCHEMA, LIST) => break,
                _ => self.skip(kind, 0)?,
            }
            last = number;
        }
        let (count, of) = self.list()?;
        if of != STRUCT || count > self.0.len() as u64 {
            return None;
        }
        (0..count).map(|_| self.schema_element()).collect()
    }

    fn schema_element(&mut self) -> Option<u64> {
        let (mut last, mut children) = (0, 0);
        loop {
            let (number, kind) = self.field(last)?;
            match (number, kind) {
                (_, STOP) => return Some(children),
                (NUM_CHILDREN, I32) => children = u64::try_from(self.signed()?).ok()?,
                _ => self.skip(kind, 0)?,
            }
            last = number;
        }
    }
}

/// The tree's depth; none where the numbers make no tree.
fn depth(children: &[u64]) -> Option<usize> {
    let mut open: Vec<u64> = Vec::new(); // children still to come of each group down to here
    let mut deepest = 0;
    for &count in children {
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(count);
        deepest = deepest.max(open.len());
        while open.last() == Some(&0) {
            open.pop();
        }
        if count > children.len() as u64 {
            return None;
        }
    }
    open.is_empty().then_some(deepest)
}

/// Fails where the file is no whole Parquet file or its schema is no tree of bearable depth.
pub fn check(file: &mut File) -> Result<(), String> {
    const TAIL: u64 = 8; // the footer's size, PAR1
    let mut read = || -> std::io::Result<Option<Vec<u8>>> {
        let size = file.seek(SeekFrom::End(0))?;
        let mut tail = [0; TAIL as usize];
        if size < 4 + TAIL {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-(TAIL as i64)))?;
        file.read_exact(&mut tail)?;
        let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if !tail.ends_with(b"PAR1") || footer > size - 4 - TAIL {
            return Ok(None);
        }
        let mut bytes = vec![0; footer as usize];
        file.seek(SeekFrom::End(-((footer + TAIL) as i64)))?;
        file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    };
    let footer = read().map_err(|e| e.to_string())?.ok_or("there is no footer at its end: the file is cut short")?;
    let schema = Thrift(&footer).schema().ok_or("the footer's schema cannot be read")?;
    match depth(&schema) {
        None => Err("the footer's schema is no tree".into()),
        Some(depth) if depth > MAX_DEPTH => Err(format!("the schema is nested deeper than {MAX_DEPTH} levels")),
        Some(_) => Ok(()),
    }
}
