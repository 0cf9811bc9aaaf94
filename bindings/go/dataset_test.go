package ilt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"libilt.org/go/ilt"
)

func TestDatasetFromMemory(t *testing.T) {
	ctx := t.Context()
	c := ilt.Config{ModelPath: model, MaxSeqLen: 64}
	data, err := ilt.NewDataset(ctx, c)
	check(t, err)
	defer data.Close()
	for _, record := range []any{
		ilt.Chat{Messages: []ilt.Message{{Role: "user", Content: "One?"}, {Role: "assistant", Content: "One."}}},
		map[string]string{"prompt": "Two?", "completion": "Two."},
		`{"instruction": "Three?", "output": "Three."}`,
	} {
		kept, err := data.Add(record)
		check(t, err)
		if !kept {
			t.Errorf("%v is left out", record)
		}
	}
	if kept, err := data.Add(map[string]string{"prompt": string(make([]byte, 500)), "completion": "x"}); kept || err != nil {
		t.Errorf("a long record: %v, %v", kept, err)
	}
	if _, err := data.Add(map[string]int{"a": 1}); !errors.Is(err, ilt.ErrData) {
		t.Error(err)
	}
	stats, err := data.Stats(&ilt.Packing{MaxBatchLen: 64})
	check(t, err)
	if stats.Samples != 3 || stats.Dropped["too_long"]+stats.Dropped["too long"] != 1 || stats.Packing.MicroBatches < 1 {
		t.Errorf("%+v", stats)
	}
	samples, tokens := int64(0), int64(0)
	for sample, err := range data.Samples() {
		check(t, err)
		samples, tokens = samples+1, tokens+int64(len(sample.IDs))
	}
	if samples != data.Len() || tokens != data.Tokens() || samples != 3 {
		t.Errorf("%d samples, %d tokens", samples, tokens)
	}
	if _, err := data.Sample(3); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}

	c = training()
	c.DataPath = nil
	s := newSession(t, c)
	if _, err := s.Step(); !errors.Is(err, ilt.ErrInvalidState) {
		t.Error(err)
	}
	check(t, s.SetData(data, nil))
	m, err := s.Train(ctx)
	check(t, err)
	if m.Step != 8 || !(m.Loss > 0) {
		t.Errorf("%+v", m)
	}
}

func TestProcessDataset(t *testing.T) {
	ctx := t.Context()
	out := filepath.Join(t.TempDir(), "data.safetensors")
	c := ilt.Config{ModelPath: model, DataPath: []string{model + ".jsonl"}, MaxSeqLen: 128}
	var last ilt.DataProgress
	check(t, ilt.ProcessDataset(ctx, c, out, func(p ilt.DataProgress) error { last = p; return nil }))
	if last.Records != 4 || last.BytesDone != last.BytesTotal {
		t.Errorf("%+v", last)
	}
	data, err := ilt.OpenDataset(out)
	check(t, err)
	defer data.Close()
	if data.Len() != 4 {
		t.Errorf("%d samples", data.Len())
	}

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := ilt.ProcessDataset(cancelled, c, out, nil); !errors.Is(err, context.Canceled) || !errors.Is(err, ilt.ErrStopped) {
		t.Error(err)
	}
	problem := errors.New("no more")
	err = ilt.ProcessDataset(ctx, c, out+"2", func(ilt.DataProgress) error { return problem })
	if !errors.Is(err, problem) || !errors.Is(err, ilt.ErrCallback) {
		t.Error(err)
	}
	if _, err := os.Stat(out + "2"); err == nil {
		t.Error("a data set has appeared that was not finished")
	}
}
