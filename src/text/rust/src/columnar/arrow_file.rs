//! Arrow IPC streams, as `datasets` keeps them, and files, which hold a stream between a magic number and an index.
//!
//! Format: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc. The
//! messages are taken apart here, and not by the crate's own readers, so that sizes are checked before memory is reserved
//! for them and errors tell rows and columns.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{root_as_message, Message, MessageHeader};
use arrow_schema::SchemaRef;

use super::{attempt, blame, Source};

const CONTINUATION: [u8; 4] = [0xFF; 4];
const FILE_MAGIC: u64 = 8; // with its padding
/// What a compressed buffer may say that it unpacks to: as much as 32-bit offsets reach.
const MAX_UNPACKED: i64 = i32::MAX as i64;

type Dictionaries = HashMap<i64, ArrayRef>;

pub struct ArrowFile {
    bytes: Bytes,
    schema: SchemaRef,
    dictionaries: Dictionaries,
    rows: u64,
    batches: u64,
}

/// The file and how much of it is left.
struct Bytes {
    file: BufReader<File>,
    size: u64,
    left: u64,
}

/// A message's metadata and its body.
struct Parts {
    metadata: Vec<u8>,
    body: Buffer,
}

impl Bytes {
    fn take(&mut self, count: i64) -> Result<Vec<u8>, String> {
        let wanted = u64::try_from(count).map_err(|_| format!("a part of {count} bytes"))?;
        if wanted > self.left {
            return Err(format!("the file is cut short or broken: a part of {wanted} bytes, but {} left", self.left));
        }
        let mut bytes = vec![0; wanted as usize];
        self.file.read_exact(&mut bytes).map_err(|e| e.to_string())?;
        self.left -= wanted;
        Ok(bytes)
    }

    fn word(&mut self) -> Result<[u8; 4], String> {
        let mut word = [0; 4];
        word.copy_from_slice(&self.take(4)?);
        Ok(word)
    }

    /// The next message; none at the mark that ends a stream, without which it is not whole.
    fn message(&mut self) -> Result<Option<Parts>, String> {
        if self.word()? != CONTINUATION {
            return Err("no Arrow message where one is expected".into());
        }
        let size = i32::from_le_bytes(self.word()?);
        if size == 0 {
            return Ok(None);
        }
        let metadata = self.take(size.into())?;
        let body = parse(&metadata)?.bodyLength();
        let body = self.take(body)?.into();
        Ok(Some(Parts { metadata, body }))
    }
}

fn parse(metadata: &[u8]) -> Result<Message<'_>, String> {
    attempt(|| root_as_message(metadata))
}

/// The lengths that the buffers unpack to are reserved before anything is unpacked.
fn check_unpacked(batch: arrow_ipc::RecordBatch, body: &[u8]) -> Result<(), String> {
    if batch.compression().is_none() {
        return Ok(());
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let begin = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let Some(prefix) = body.get(begin..).and_then(|rest| rest.first_chunk()) else {
            continue; // empty, or an error to the crate
        };
        let unpacked = i64::from_le_bytes(*prefix);
        if buffer.length() > 0 && unpacked > MAX_UNPACKED {
            return Err(format!("a buffer that unpacks to {unpacked} bytes, more than {MAX_UNPACKED}"));
        }
    }
    Ok(())
}

fn read_schema(bytes: &mut Bytes) -> Result<SchemaRef, String> {
    let parts = bytes.message()?.ok_or("there is no schema")?;
    let message = parse(&parts.metadata)?;
    let schema = message.header_as_schema().ok_or("the first message is no schema")?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err("it was written on a machine of the other byte order".into());
    }
    Ok(Arc::new(attempt(|| try_fb_to_schema(schema))?))
}

impl ArrowFile {
    pub fn open(file: File, is_file: bool) -> Result<Self, String> {
        let size = file.metadata().map_err(|e| e.to_string())?.len();
        let mut bytes = Bytes { file: BufReader::new(file), size, left: size };
        if is_file {
            bytes.take(FILE_MAGIC as i64)?;
        }
        let schema = read_schema(&mut bytes)?;
        Ok(Self { bytes, schema, dictionaries: Dictionaries::new(), rows: 0, batches: 0 })
    }

    fn add_dictionary(&mut self, message: &Message, body: &Buffer) -> Result<(), String> {
        let dictionary = message.header_as_dictionary_batch().ok_or("a dictionary without a header")?;
        if let Some(values) = dictionary.data() {
            check_unpacked(values, body)?;
        }
        attempt(|| read_dictionary(body, dictionary, &self.schema, &mut self.dictionaries, &message.version()))
    }

    fn read_batch(&self, message: &Message, body: &Buffer) -> Result<RecordBatch, String> {
        let header = message.header_as_record_batch().ok_or("a record batch without a header")?;
        let read = |columns: Option<&[usize]>| {
            let (schema, version) = (self.schema.clone(), message.version());
            attempt(|| read_record_batch(body, header, schema, &self.dictionaries, columns, &version))
        };
        let last = self.rows.saturating_add(header.length().max(1) as u64);
        let place = format!("rows {} to {last} (record batch {})", self.rows + 1, self.batches + 1);
        check_unpacked(header, body).map_err(|why| format!("{place}: {why}"))?;
        read(None).map_err(|why| {
            let names = self.schema.fields().iter().map(|field| field.name().as_str());
            format!("{place}{}: {why}", blame(names, |i| read(Some(&[i])).map(drop)))
        })
    }
}

impl Source for ArrowFile {
    fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        let place = |rows: u64, batches: u64| move |why| format!("after row {rows} (record batch {batches}): {why}");
        while let Some(parts) = self.bytes.message().map_err(place(self.rows, self.batches))? {
            let message = parse(&parts.metadata)?;
            match message.header_type() {
                MessageHeader::DictionaryBatch => {
                    self.add_dictionary(&message, &parts.body).map_err(place(self.rows, self.batches))?
                }
                MessageHeader::RecordBatch => {
                    let batch = self.read_batch(&message, &parts.body)?;
                    self.rows = self.rows.saturating_add(batch.num_rows() as u64);
                    self.batches += 1;
                    return Ok(Some(batch));
                }
                kind => return Err(place(self.rows, self.batches)(format!("a message of the kind {kind:?}"))),
            }
        }
        Ok(None)
    }

    fn position(&self) -> u64 {
        self.bytes.size - self.bytes.left
    }
}
