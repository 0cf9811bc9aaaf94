package ilt_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"libilt.org/go/ilt"
)

func TestParameters(t *testing.T) {
	s := newSession(t, training())
	info, err := s.ModelInfo()
	check(t, err)
	var names []string
	for p, err := range s.Parameters() {
		check(t, err)
		names = append(names, p.Name)
		if len(p.Shape) == 0 || p.Dtype != "float32" || p.Device != "cpu" || !p.Trained || p.Bytes == 0 {
			t.Errorf("%+v", p)
		}
	}
	if int64(len(names)) != info.Tensors {
		t.Errorf("%d parameters of %d: %v", len(names), info.Tensors, names)
	}
	_, err = s.Parameter("model.norm.wieght")
	var e *ilt.Error
	if !errors.As(err, &e) || e.Status != ilt.ErrNotFound || e.Detail["nearest"] != "model.norm.weight" {
		t.Errorf("%#v", err)
	}
}

func TestTensor(t *testing.T) {
	s := newSession(t, training())
	const name = "model.norm.weight"
	before, err := s.Tensor(name)
	check(t, err)
	p, err := s.Parameter(name)
	check(t, err)
	if !slices.Equal(before.Shape, p.Shape) || int64(4*len(before.Data)) != p.Bytes {
		t.Errorf("%+v of %+v", before, p)
	}
	score, err := s.Score(prompt)
	check(t, err)

	doubled := ilt.Tensor{Shape: before.Shape, Data: slices.Clone(before.Data)}
	for i := range doubled.Data {
		doubled.Data[i] *= 2
	}
	check(t, s.SetTensor(name, doubled))
	after, err := s.Tensor(name)
	check(t, err)
	if !slices.Equal(after.Data, doubled.Data) {
		t.Errorf("%v, not %v", after.Data, doubled.Data)
	}
	if changed, err := s.Score(prompt); err != nil || slices.Equal(changed, score) {
		t.Errorf("the model is as before: %v", err)
	}
	check(t, s.SetTensor(name, before))
	if back, err := s.Score(prompt); err != nil || !slices.Equal(back, score) {
		t.Errorf("the model is not as before: %v", err)
	}

	if err := s.SetTensor(name, ilt.Tensor{Shape: []int64{1}, Data: []float32{1}}); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}
	if err := s.SetTensor(name, ilt.Tensor{Shape: before.Shape}); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestDLPack(t *testing.T) {
	s := newSession(t, training())
	const name = "model.norm.weight"
	view, err := s.DLPack(name, false)
	check(t, err)
	check(t, s.Close())
	if view.Pointer() == nil {
		t.Error("no tensor")
	}
	check(t, view.Close()) // after the session
	check(t, view.Close())

	a, b := newSession(t, training()), newSession(t, training())
	_, err = a.Step()
	check(t, err)
	tensor, err := a.DLPack(name, true)
	check(t, err)
	check(t, b.SetDLPack(name, tensor.Release()))
	check(t, tensor.Close()) // it is b's
	want, err := a.Tensor(name)
	check(t, err)
	if got, err := b.Tensor(name); err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("%v, not %v (%v)", got, want, err)
	}
}

func TestEvaluate(t *testing.T) {
	c := training()
	c.ValidationDataPath = c.DataPath
	s := newSession(t, c)
	before, err := s.Evaluate(t.Context(), nil)
	check(t, err)
	m, err := s.Train(t.Context())
	check(t, err)
	after, err := s.Evaluate(t.Context(), nil)
	check(t, err)
	if after.Loss >= before.Loss || math.Abs(after.Loss-m.EvalLoss) > 1e-6 || after.Tokens == 0 {
		t.Errorf("%+v, then %+v; in the run %v", before, after, m.EvalLoss)
	}
	data, err := ilt.NewDataset(t.Context(), c)
	check(t, err)
	defer data.Close()
	if again, err := s.Evaluate(t.Context(), data); err != nil || math.Abs(again.Loss-after.Loss) > 1e-6 {
		t.Errorf("%+v, not %+v (%v)", again, after, err)
	}
	if _, err := newSession(t, training()).Evaluate(t.Context(), nil); !errors.Is(err, ilt.ErrInvalidState) {
		t.Error(err)
	}
}

func TestEstimateMemory(t *testing.T) {
	estimate, err := ilt.EstimateMemory(training())
	check(t, err)
	info, err := newSession(t, training()).ModelInfo()
	check(t, err)
	sum := estimate.Weights + estimate.Gradients + estimate.Optimizer + estimate.Activations + estimate.Loss
	if estimate.Weights != 4*info.Parameters || estimate.Total != sum || estimate.Tokens != 256 {
		t.Errorf("%+v", estimate)
	}
}
