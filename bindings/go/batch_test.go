package ilt_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"libilt.org/go/ilt"
)

// unshuffled takes the samples in their order, so that a loop of one's own can do what a run does.
func unshuffled() ilt.Config {
	c := training()
	c.Shuffle = ilt.Ptr(false)
	return c
}

func samples(t *testing.T) []ilt.Sample {
	t.Helper()
	data, err := ilt.NewDataset(t.Context(), unshuffled())
	check(t, err)
	defer data.Close()
	var all []ilt.Sample
	for sample, err := range data.Samples() {
		check(t, err)
		all = append(all, sample)
	}
	return all
}

func newBatch(t *testing.T) *ilt.Batch {
	t.Helper()
	batch, err := ilt.NewBatch()
	check(t, err)
	t.Cleanup(func() { batch.Close() })
	return batch
}

// ownLoop trains with batches of one sample, whose gradients add up.
func ownLoop(t *testing.T, s *ilt.Session, all []ilt.Sample, steps int) []float64 {
	t.Helper()
	batch := newBatch(t)
	var losses []float64
	for step := range steps {
		var sum, weight float64
		for i := range 2 {
			check(t, batch.Clear())
			check(t, batch.Add(all[(2*step+i)%len(all)], nil))
			l, w, err := s.ForwardBackward(batch)
			check(t, err)
			sum, weight = sum+l, weight+w
		}
		m, err := s.OptimizerStep(0)
		check(t, err)
		if math.Abs(m.Loss-sum/weight) > 1e-9 {
			t.Errorf("step %d: loss %v, not %v", step+1, m.Loss, sum/weight)
		}
		losses = append(losses, m.Loss)
	}
	return losses
}

func TestALoopOfOnesOwn(t *testing.T) {
	all := samples(t)
	want := losses(t, newSession(t, unshuffled()))
	s := newSession(t, unshuffled())
	got := ownLoop(t, s, all, len(want))
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-5 {
			t.Errorf("step %d: loss %v, in a run %v", i+1, got[i], want[i])
		}
	}
	batch := newBatch(t)
	check(t, batch.Add(all[0], nil))
	if _, _, err := s.ForwardBackward(batch); err != nil {
		t.Error(err)
	}
	if _, err := s.OptimizerStep(0); err != io.EOF {
		t.Errorf("a step after the last one: %v", err)
	}

	withoutData := unshuffled()
	withoutData.DataPath, withoutData.MaxSteps = nil, len(want)
	if again := ownLoop(t, newSession(t, withoutData), all, len(want)); !slices.Equal(again, got) {
		t.Errorf("without data: %v, with data: %v", again, got)
	}
}

func TestBatch(t *testing.T) {
	batch := newBatch(t)
	sample := ilt.Sample{IDs: []int32{4, 20, 21}}
	check(t, batch.Add(sample, []float32{0, 2, -1}))
	check(t, batch.Add(sample, nil))
	if samples, tokens, err := batch.Size(); samples != 2 || tokens != 6 || err != nil {
		t.Error(samples, tokens, err)
	}
	s := newSession(t, unshuffled())
	logprobs, err := s.Score(sample.IDs)
	check(t, err)
	loss, weight, err := s.ForwardBackward(batch)
	check(t, err)
	want := -3 * float64(logprobs[0]) // (2 + 1) of the first target, (-1 + 1) of the second
	if weight != 3 || math.Abs(loss-want) > 1e-4 {
		t.Errorf("loss %v of weight %v, not %v of 3", loss, weight, want)
	}
	check(t, s.ZeroGrad())
	if _, err := s.OptimizerStep(0); !errors.Is(err, ilt.ErrInvalidState) {
		t.Error(err)
	}
	for _, bad := range []struct {
		sample  ilt.Sample
		weights []float32
	}{
		{ilt.Sample{}, nil},
		{ilt.Sample{IDs: []int32{-1}}, nil},
		{ilt.Sample{IDs: []int32{1, 2}, Labels: []int32{1}}, nil},
		{sample, []float32{1}},
		{sample, []float32{1, float32(math.NaN()), 1}},
	} {
		if err := batch.Add(bad.sample, bad.weights); !errors.Is(err, ilt.ErrInvalidArgument) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
