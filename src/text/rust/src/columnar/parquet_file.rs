//! Parquet files, row group by row group, page by page.

use std::fs::File;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::ProjectionMask;
use parquet::file::metadata::RowGroupMetaData;

use super::{attempt, blame, footer, Source};

/// Small, as one row may be a long conversation.
const ROWS_A_BATCH: usize = 64;

type Builder = ParquetRecordBatchReaderBuilder<File>;

pub struct ParquetFile {
    file: File,
    metadata: ArrowReaderMetadata,
    group: usize,
    reader: Option<ParquetRecordBatchReader>, // of the group
    rows_of_group: u64,
    rows_before: u64, // in the groups before
    bytes_before: u64,
}

impl ParquetFile {
    pub fn open(mut file: File) -> Result<Self, String> {
        footer::check(&mut file)?;
        let metadata = attempt(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        Ok(Self { file, metadata, group: 0, reader: None, rows_of_group: 0, rows_before: 0, bytes_before: 0 })
    }

    fn row_group(&self) -> &RowGroupMetaData {
        self.metadata.metadata().row_group(self.group)
    }

    /// What the file says; never negative.
    fn rows_expected(&self) -> u64 {
        self.row_group().num_rows().max(0) as u64
    }

    fn bytes(&self) -> u64 {
        self.row_group().compressed_size().max(0) as u64
    }

    fn read(&self, choose: impl FnOnce(Builder) -> Builder) -> Result<ParquetRecordBatchReader, String> {
        attempt(|| {
            let builder = Builder::new_with_metadata(self.file.try_clone()?, self.metadata.clone());
            choose(builder.with_row_groups(vec![self.group]).with_batch_size(ROWS_A_BATCH)).build()
        })
    }

    fn broken(&self, why: &str) -> String {
        let first = self.rows_before + self.rows_of_group + 1;
        let last = (first + ROWS_A_BATCH as u64 - 1).min(self.rows_before + self.rows_expected()).max(first);
        let schema = self.metadata.parquet_schema();
        let column = blame(schema.root_schema().get_fields().iter().map(|field| field.name()), |i| {
            let reader = self.read(|builder| {
                let only = ProjectionMask::roots(schema, [i]);
                builder.with_projection(only).with_offset(self.rows_of_group as usize).with_limit(ROWS_A_BATCH)
            })?;
            attempt(|| reader.map(|batch| batch.map(drop)).collect())
        });
        let groups = self.metadata.metadata().num_row_groups();
        format!("rows {first} to {last} (row group {} of {groups}){column}: {why}", self.group + 1)
    }

    fn next_of_group(&mut self) -> Result<Option<RecordBatch>, String> {
        if self.reader.is_none() {
            self.reader = Some(self.read(|builder| builder).map_err(|why| self.broken(&why))?);
        }
        let batch = match &mut self.reader {
            Some(reader) => attempt(|| reader.next().transpose()).map_err(|why| self.broken(&why))?,
            None => None,
        };
        self.rows_of_group += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if batch.is_none() && self.rows_of_group != self.rows_expected() {
            let why = format!("there are {} rows, expected {}", self.rows_of_group, self.rows_expected());
            return Err(format!("row group {}: {why}", self.group + 1));
        }
        Ok(batch)
    }
}

impl Source for ParquetFile {
    fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        while self.group < self.metadata.metadata().num_row_groups() {
            if let Some(batch) = self.next_of_group()? {
                return Ok(Some(batch));
            }
            self.bytes_before += self.bytes();
            self.rows_before += self.rows_of_group;
            self.rows_of_group = 0;
            self.reader = None;
            self.group += 1;
        }
        Ok(None)
    }

    fn position(&self) -> u64 {
        if self.rows_of_group == 0 {
            return self.bytes_before;
        }
        let share = self.rows_of_group as f64 / self.rows_expected().max(1) as f64;
        self.bytes_before + (self.bytes() as f64 * share) as u64
    }
}
