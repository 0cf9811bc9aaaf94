package ilt_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"libilt.org/go/ilt"
)

// losses makes a run in steps.
func losses(t *testing.T, s *ilt.Session) []float64 {
	t.Helper()
	var all []float64
	for m, err := range s.Steps(t.Context()) {
		check(t, err)
		all = append(all, m.Loss)
	}
	return all
}

func TestTheWaysToTrainAreOne(t *testing.T) {
	want := losses(t, newSession(t, training()))
	if len(want) != 8 || want[7] >= want[0] {
		t.Errorf("%v", want)
	}

	s, told := newSession(t, training()), []float64(nil)
	s.OnEvent(func(e ilt.Event) error {
		if e.Type == ilt.EventStepEnd {
			told = append(told, e.Metrics.Loss)
		}
		return nil
	})
	m, err := s.Train(t.Context())
	check(t, err)
	if !slices.Equal(told, want) || m.Loss != want[7] || m.Step != 8 || m.StepTotal != 8 {
		t.Errorf("%v, %+v", told, m)
	}
	if _, err := s.Step(); err != io.EOF {
		t.Errorf("a step after the last one: %v", err)
	}

	var given []float64
	var types []ilt.EventType
	for e, err := range newSession(t, training()).Events(t.Context()) {
		check(t, err)
		types = append(types, e.Type)
		if e.Type == ilt.EventStepEnd {
			given = append(given, e.Metrics.Loss)
		}
	}
	if !slices.Equal(given, want) || types[0] != ilt.EventRunBegin || types[len(types)-1] != ilt.EventRunEnd {
		t.Errorf("%v, %v", given, types)
	}
}

func TestEpochs(t *testing.T) {
	want, s := losses(t, newSession(t, training())), newSession(t, training())
	for epoch := range 4 {
		m, err := s.TrainEpoch(t.Context())
		check(t, err)
		if m.Step != int64(2*epoch+2) || m.Loss != want[m.Step-1] {
			t.Errorf("epoch %d: %+v", epoch, m)
		}
	}
	if _, err := s.TrainEpoch(t.Context()); err != io.EOF {
		t.Errorf("an epoch after the last one: %v", err)
	}
}

func TestSetLR(t *testing.T) {
	s := newSession(t, training())
	scheduled, err := s.Step()
	check(t, err)
	check(t, s.SetLR(0.25))
	m, err := s.Step()
	check(t, err)
	if m.LR != 0.25 {
		t.Errorf("%+v", m)
	}
	check(t, s.SetLR(ilt.ScheduleLR))
	if m, err = s.Step(); err != nil || m.LR >= scheduled.LR {
		t.Errorf("%+v (%v)", m, err)
	}
	if err := s.SetLR(-2); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}
	if s.Poisoned() {
		t.Error("poisoned")
	}
}

func TestLeavingTheLoopStopsTheRun(t *testing.T) {
	s := newSession(t, training())
	for e, err := range s.Events(t.Context()) {
		check(t, err)
		if e.Type == ilt.EventStepEnd && e.Metrics.Step == 3 {
			break
		}
	}
	m, err := s.Metrics()
	check(t, err)
	if m.Step != 3 {
		t.Errorf("stopped after step %d", m.Step)
	}
	if m, err = s.Train(t.Context()); err != nil || m.Step != 8 {
		t.Errorf("gone on to step %d: %v", m.Step, err)
	}
}

func TestStop(t *testing.T) {
	s := newSession(t, training())
	s.OnEvent(func(e ilt.Event) error {
		if e.Metrics.Step == 2 {
			return ilt.Stop
		}
		return nil
	})
	if m, err := s.Train(t.Context()); err != ilt.ErrStopped || m.Step != 2 {
		t.Errorf("step %d: %v", m.Step, err)
	}
}

func TestErrorOfACallback(t *testing.T) {
	s, problem := newSession(t, training()), errors.New("the disk on fire")
	s.OnEvent(func(ilt.Event) error { return problem })
	_, err := s.Train(t.Context())
	if !errors.Is(err, problem) || !errors.Is(err, ilt.ErrCallback) {
		t.Error(err)
	}
	s.OnEvent(nil)
	if _, err := s.Train(t.Context()); err != nil {
		t.Errorf("going on: %v", err)
	}
}

func TestPanicOfACallback(t *testing.T) {
	s := newSession(t, training())
	caught := func(train func()) (value any) {
		defer func() { value = recover() }()
		train()
		return nil
	}
	s.OnEvent(func(ilt.Event) error { panic("handler") })
	if value := caught(func() { s.Train(t.Context()) }); value != "handler" { //nolint:errcheck // it panics
		t.Errorf("%v", value)
	}
	s.OnEvent(nil)
	value := caught(func() {
		for range s.Events(t.Context()) {
			panic("body")
		}
	})
	if value != "body" {
		t.Errorf("%v", value)
	}
	if m, err := s.Train(t.Context()); err != nil || m.Step != 8 {
		t.Errorf("going on to step %d: %v", m.Step, err)
	}
}

func TestCancellation(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newSession(t, training())
	s.OnEvent(func(e ilt.Event) error {
		if e.Metrics.Step == 2 {
			cancel(reason)
		}
		return nil
	})
	m, err := s.Train(ctx)
	for _, target := range []error{ilt.ErrStopped, context.Canceled, reason} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	if m.Step != 2 {
		t.Errorf("stopped after step %d", m.Step)
	}
	for _, err := range s.Steps(ctx) {
		if !errors.Is(err, reason) {
			t.Error(err)
		}
	}
}

func TestBusy(t *testing.T) {
	s := newSession(t, training())
	seen := false
	s.OnEvent(func(ilt.Event) error {
		if seen {
			return nil
		}
		seen = true
		if _, err := s.Train(t.Context()); !errors.Is(err, ilt.ErrBusy) {
			t.Errorf("a run inside a run: %v", err)
		}
		done := make(chan error)
		go func() { _, err := s.Score([]int32{6, 7}); done <- err }()
		if err := <-done; !errors.Is(err, ilt.ErrBusy) {
			t.Errorf("a call beside a run: %v", err)
		}
		_, err := s.Score([]int32{6, 7}) // of this goroutine
		return err
	})
	_, err := s.Train(t.Context())
	check(t, err)
}

func TestMetricsWhileAnotherGoroutineTrains(t *testing.T) {
	s := newSession(t, training())
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for before := int64(0); ; {
				m, err := s.Metrics()
				if err != nil || m.Step < before {
					t.Error(m.Step, before, err)
				}
				if _, err := s.MetricsJSON(); err != nil {
					t.Error(err)
				}
				before = m.Step
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}()
	}
	_, err := s.Train(t.Context())
	close(done)
	group.Wait()
	check(t, err)
}
