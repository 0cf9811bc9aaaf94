package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"encoding/json"
	"iter"
	"runtime/cgo"
)

// A Dataset is a list of samples to train on or to measure the loss on.
type Dataset struct{ h *handle[*C.ilt_dataset] }

// NewDataset makes a data set in memory by the ModelPath and the data options of a configuration: of the records of its
// DataPath, or, where that is empty, of none yet, for [Dataset.Add].
func NewDataset(ctx context.Context, c Config) (*Dataset, error) {
	config, err := newConfig(c)
	if err != nil {
		return nil, err
	}
	defer config.close()
	var p *C.ilt_dataset
	err = withToken(ctx, func(token *C.ilt_cancel_token) error {
		return config.call(func(c *C.ilt_config, err **C.ilt_error) C.ilt_status {
			return C.ilt_dataset_create(c, token, &p, err)
		})
	})
	if err != nil {
		return nil, err
	}
	return ownDataset(p), nil
}

// OpenDataset maps a file that [ProcessDataset] has written, and checks it.
func OpenDataset(path string) (*Dataset, error) {
	file := cString(path)
	defer freeString(file)
	var p *C.ilt_dataset
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_dataset_open(file, &p, err) }); err != nil {
		return nil, err
	}
	return ownDataset(p), nil
}

func ownDataset(p *C.ilt_dataset) *Dataset {
	return &Dataset{newHandle("data set", p, func(p *C.ilt_dataset) { C.ilt_dataset_free(p) })}
}

// Close frees the data set. Sessions that use it keep it.
func (d *Dataset) Close() error {
	d.h.close()
	return nil
}

// Add adds one record to a data set that was made empty: a [Chat], any other value that encodes to a record of any
// format that files may have, or its JSON as a string, []byte or [json.RawMessage]. kept is false where the record is
// left out (too long, nothing to learn): [Dataset.Stats] counts why.
func (d *Dataset) Add(record any) (kept bool, err error) {
	p, err := d.h.use()
	if err != nil {
		return false, err
	}
	defer d.h.done()
	document, err := encodeRecord(record)
	if err != nil {
		return false, err
	}
	data, length := text(document)
	var out C.int32_t
	err = call(func(err **C.ilt_error) C.ilt_status { return C.ilt_dataset_add(p, data, length, &out, err) })
	return out != 0, err
}

// Len is the number of samples; 0 after Close.
func (d *Dataset) Len() int64 {
	p, err := d.h.use()
	if err != nil {
		return 0
	}
	defer d.h.done()
	return int64(C.ilt_dataset_num_samples(p))
}

// Tokens is the number of tokens of all samples; 0 after Close.
func (d *Dataset) Tokens() int64 {
	p, err := d.h.use()
	if err != nil {
		return 0
	}
	defer d.h.done()
	return int64(C.ilt_dataset_num_tokens(p))
}

// Sample gives one sample, from 0.
func (d *Dataset) Sample(index int64) (Sample, error) {
	p, err := d.h.use()
	if err != nil {
		return Sample{}, err
	}
	defer d.h.done()
	var (
		ids, labels *C.int32_t
		count       C.size_t
	)
	if err := call(func(err **C.ilt_error) C.ilt_status {
		return C.ilt_dataset_sample(p, C.int64_t(index), &ids, &labels, &count, err)
	}); err != nil {
		return Sample{}, err
	}
	return Sample{IDs: takeIDs(ids, count), Labels: takeIDs(labels, count)}, nil
}

// Samples gives all samples in their order; it ends after an error.
func (d *Dataset) Samples() iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		for i := range d.Len() {
			sample, err := d.Sample(i)
			if !yield(sample, err) || err != nil {
				return
			}
		}
	}
}

// Stats counts what became of the records, and the lengths of the samples. With a packing, it also tells how full
// micro-batches would be.
func (d *Dataset) Stats(packing *Packing) (DatasetStats, error) {
	p, err := d.h.use()
	if err != nil {
		return DatasetStats{}, err
	}
	defer d.h.done()
	var options *C.char
	if packing != nil {
		if options, err = optionsJSON(packing); err != nil {
			return DatasetStats{}, err
		}
		defer freeString(options)
	}
	return callJSON[DatasetStats](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_dataset_stats_json(p, options, out, length, err)
	})
}

// A DataProgress is how far a reading of data is.
type DataProgress struct {
	Records    int64 // done
	BytesDone  int64 // of the input files
	BytesTotal int64
}

// ProcessDataset reads the records of a configuration's DataPath with the tokenizer and chat template of its ModelPath,
// and writes their samples to the file outPath, which appears complete or not at all and which DataPath then takes. It
// uses all cores. One that is stopped or killed leaves outPath.partial, from which the same call goes on. progress may
// be nil.
func ProcessDataset(ctx context.Context, c Config, outPath string, progress func(DataProgress) error) error {
	config, err := newConfig(c)
	if err != nil {
		return err
	}
	defer config.close()
	path := cString(outPath)
	defer freeString(path)

	watcher := &progressCallback{progress: progress}
	watcher.abandon, watcher.ended = config.abandon, func() bool { return ctx.Err() != nil }
	var user cgo.Handle
	if progress != nil {
		user = cgo.NewHandle(watcher)
		defer user.Delete()
	}
	err = withToken(ctx, func(token *C.ilt_cancel_token) error {
		return config.call(func(c *C.ilt_config, err **C.ilt_error) C.ilt_status {
			return C.ilt_go_dataset_process(c, path, C.uintptr_t(user), token, err)
		})
	})
	return watcher.resume(err)
}

type progressCallback struct {
	outcome
	progress func(DataProgress) error
}

//export goIltDataProgress
func goIltDataProgress(records, bytesDone, bytesTotal C.int64_t, user C.uintptr_t) C.int32_t {
	callback := cgo.Handle(user).Value().(*progressCallback)
	return callback.answer(func() error {
		return callback.progress(DataProgress{
			Records: int64(records), BytesDone: int64(bytesDone), BytesTotal: int64(bytesTotal),
		})
	})
}

// A Packing is how samples are put into micro-batches.
type Packing struct {
	MaxBatchLen        int `json:"max_batch_len"`                  // tokens in a micro-batch
	EffectiveBatchSize int `json:"effective_batch_size,omitempty"` // samples in an optimizer step; 0: 128
	Ranks              int `json:"ranks,omitempty"`                // processes that share a step; 0: 1
}

// DatasetStats counts what a data set holds and what was left out of it.
type DatasetStats struct {
	Records          int64             `json:"records"`
	Samples          int64             `json:"samples"`
	Tokens           int64             `json:"tokens"`
	SupervisedTokens int64             `json:"supervised_tokens"` // those that are learnt
	SupervisedShare  float64           `json:"supervised_share"`
	Dropped          map[string]int64  `json:"dropped"` // by reason
	Truncated        int64             `json:"truncated"`
	AssistantTurns   int64             `json:"assistant_turns"`
	Terminators      map[string]int64  `json:"terminators"` // what ends assistant turns, and how often
	Formats          map[string]string `json:"formats"`     // of each file
	UnusedKeys       []string          `json:"unused_keys"`
	BadRecords       []json.RawMessage `json:"bad_records"`
	Lengths          LengthStats       `json:"lengths"`
	Packing          *PackingStats     `json:"packing,omitempty"` // where asked for
}

// LengthStats are the lengths of samples, in tokens.
type LengthStats struct {
	Min  int64   `json:"min"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
	Mean float64 `json:"mean"`
}

// PackingStats say how samples would fill micro-batches in one epoch.
type PackingStats struct {
	Steps        int64   `json:"steps"`
	MicroBatches int64   `json:"micro_batches"`
	Fill         float64 `json:"fill"`    // share of the micro-batches' tokens that samples fill
	Balance      float64 `json:"balance"` // mean over most work of the ranks
}
