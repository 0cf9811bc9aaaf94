//! Rows as JSON objects, one a line. Keys whose value is null are left out: a column holds a value for every row, and
//! nobody can tell the rows that had no such key. Texts that the schema says are JSON (what `datasets` makes of values
//! that differ from row to row) are written as they are.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayAccessor, RecordBatch};
use arrow_json::writer::{make_encoder, Encoder, EncoderFactory, NullableEncoder};
use arrow_json::EncoderOptions;
use arrow_schema::{ArrowError, DataType, FieldRef};
use serde::de::IgnoredAny;

/// Enough for speed; a row may be longer.
const WANTED_BYTES: usize = 1 << 20;

/// What an encoder, which cannot fail, found wrong.
type Fault = Arc<Mutex<Option<String>>>;

#[derive(Debug)]
struct Encoders {
    fault: Fault,
}

struct JsonTextEncoder<A> {
    texts: A,
    fault: Fault,
}

impl<'a, A: ArrayAccessor<Item = &'a str>> Encoder for JsonTextEncoder<A> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let text = self.texts.value(row);
        match serde_json::from_str::<IgnoredAny>(text) {
            // In valid JSON line ends stand between values only.
            Ok(_) => out.extend(text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte })),
            Err(e) => *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("no valid JSON: {e}")),
        }
    }
}

/// Unlike arrow_json's own, it takes a null among the dictionary's values for one.
struct DictionaryEncoder<'a> {
    keys: Vec<usize>,
    values: NullableEncoder<'a>,
}

impl<'a> DictionaryEncoder<'a> {
    fn nullable(
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<NullableEncoder<'a>, ArrowError> {
        let dictionary = array.as_any_dictionary();
        let values = make_encoder(field, dictionary.values(), options)?;
        let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        Ok(NullableEncoder::new(Box::new(Self { keys, values }), array.logical_nulls()))
    }
}

impl Encoder for DictionaryEncoder<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        self.values.encode(self.keys[row], out);
    }
}

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        if matches!(array.data_type(), DataType::Dictionary(_, _)) {
            return DictionaryEncoder::nullable(field, array, options).map(Some);
        }
        if field.extension_type_name() != Some("arrow.json") {
            return Ok(None);
        }
        let fault = self.fault.clone();
        let encoder: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Utf8 => Box::new(JsonTextEncoder { texts: array.as_string::<i32>(), fault }),
            DataType::LargeUtf8 => Box::new(JsonTextEncoder { texts: array.as_string::<i64>(), fault }),
            DataType::Utf8View => Box::new(JsonTextEncoder { texts: array.as_string_view(), fault }),
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(encoder, array.nulls().cloned())))
    }
}

pub struct Lines {
    options: EncoderOptions,
    fault: Fault,
}

impl Default for Lines {
    fn default() -> Self {
        let fault = Fault::default();
        let encoders = Arc::new(Encoders { fault: fault.clone() });
        Self { options: EncoderOptions::default().with_encoder_factory(encoders), fault }
    }
}

impl Lines {
    /// Rows of the batch from `from` as lines, and how many they are; at least one. `before`: the file's rows before.
    pub fn write(&self, batch: &RecordBatch, from: usize, before: u64) -> Result<(usize, Vec<u8>), String> {
        let schema = batch.schema();
        let mut columns = Vec::new();
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let encoder = make_encoder(field, array, &self.options)
                .map_err(|e| format!("row {}, column {:?}: {e}", before + 1, field.name()))?;
            columns.push((field.name(), serde_json::to_string(field.name()).map_err(|e| e.to_string())?, encoder));
        }
        let mut out = Vec::new();
        let mut row = from;
        while row < batch.num_rows() && out.len() < WANTED_BYTES {
            out.push(b'{');
            for (name, key, encoder) in columns.iter_mut().filter(|(_, _, encoder)| !encoder.is_null(row)) {
                if out.last() != Some(&b'{') {
                    out.push(b',');
                }
                out.extend_from_slice(key.as_bytes());
                out.push(b':');
                encoder.encode(row, &mut out);
                if let Some(why) = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    return Err(format!("row {}, column {name:?}: {why}", before + (row - from) as u64 + 1));
                }
            }
            out.extend_from_slice(b"}\n");
            row += 1;
        }
        Ok((row - from, out))
    }
}
