package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime/cgo"
	"sync"
)

// An EventType is what an [Event] tells of.
type EventType int32

// The kinds of events.
const (
	EventRunBegin   EventType = C.ILT_EVENT_RUN_BEGIN
	EventStepEnd    EventType = C.ILT_EVENT_STEP_END
	EventEvalEnd    EventType = C.ILT_EVENT_EVAL_END   // a validation: Metrics.EvalLoss
	EventCheckpoint EventType = C.ILT_EVENT_CHECKPOINT // Path has appeared, complete
	EventEpochEnd   EventType = C.ILT_EVENT_EPOCH_END
	EventRunEnd     EventType = C.ILT_EVENT_RUN_END
)

var eventNames = map[EventType]string{
	EventRunBegin: "run_begin", EventStepEnd: "step_end", EventEvalEnd: "eval_end",
	EventCheckpoint: "checkpoint", EventEpochEnd: "epoch_end", EventRunEnd: "run_end",
}

// String is the event's name, like "step_end".
func (t EventType) String() string {
	if name, ok := eventNames[t]; ok {
		return name
	}
	return "unknown"
}

// An Event is something that happened in a run.
type Event struct {
	Type    EventType
	Metrics Metrics // of the last step that is done
	Path    string  // of a checkpoint
}

// runState is what the event callback of a session leads to.
type runState struct {
	outcome
	mu      sync.Mutex
	running bool
	handler func(Event) error // OnEvent's
	yield   func(Event) error // of the run that is going on
}

// OnEvent sets the function that is told of what happens in runs; nil removes it. It runs on the goroutine that called
// [Session.Train], [Session.TrainEpoch] or [Session.Events], and may ask, measure and save the session, but not train
// it. If it returns [Stop], the run stops after the step with [ErrStopped]; with another error, the run fails with
// that.
func (s *Session) OnEvent(handler func(Event) error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.handler = handler
}

// Train makes all steps that remain, with the metrics file and the checkpoints that the configuration asks for under
// CkptOutputDir. It returns the metrics of the last step.
//
// A run that is stopped before its end, by ctx, by a callback or by Config.MaxMinutes, returns [ErrStopped]. The
// session is then between two steps and can go on.
func (s *Session) Train(ctx context.Context) (Metrics, error) { return s.train(ctx, wholeRun, nil) }

// TrainEpoch makes the steps that remain of the epoch as [Session.Train] would; [io.EOF] if no step was left. Calls
// until then train and write what one Train does.
func (s *Session) TrainEpoch(ctx context.Context) (Metrics, error) { return s.train(ctx, epoch, nil) }

// Events makes the same run as [Session.Train] and gives its events as they happen. The loop's body may ask, measure
// and save the session. Leaving the loop stops the run after the step. The last pair has the error that the run ended
// with, if there is one.
func (s *Session) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		left := false
		m, err := s.train(ctx, wholeRun, func(e Event) error {
			if !left && !yield(e, nil) {
				left = true
			}
			if left { // also for what is told on the way out
				return Stop
			}
			return nil
		})
		if err != nil && !left {
			yield(Event{Type: EventRunEnd, Metrics: m}, err)
		}
	}
}

// trainer is a function of the library that trains for more than a step.
type trainer func(p *C.ilt_session, token *C.ilt_cancel_token, out *C.ilt_metrics, err **C.ilt_error) C.ilt_status

func wholeRun(p *C.ilt_session, token *C.ilt_cancel_token, out *C.ilt_metrics, err **C.ilt_error) C.ilt_status {
	return C.ilt_train_run(p, token, out, err)
}

func epoch(p *C.ilt_session, token *C.ilt_cancel_token, out *C.ilt_metrics, err **C.ilt_error) C.ilt_status {
	return C.ilt_train_epoch(p, token, out, err)
}

func (s *Session) train(ctx context.Context, f trainer, listen func(Event) error) (Metrics, error) {
	if err := s.run.begin(listen, s.h.abandon, s.ended(ctx)); err != nil {
		return Metrics{}, err
	}
	defer s.run.finish()
	m := emptyMetrics()
	err := s.callUntil(ctx, func(p *C.ilt_session, token *C.ilt_cancel_token, err **C.ilt_error) C.ilt_status {
		return f(p, token, &m, err)
	})
	return newMetrics(&m), s.run.resume(err)
}

// begin keeps runs apart, so that each has its own listener and outcome.
func (r *runState) begin(listen func(Event) error, abandon func(), ended func() bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return &Error{Status: ErrBusy, Message: "the session is being trained: wait for that run, or stop it"}
	}
	r.running, r.yield, r.abandon, r.ended = true, listen, abandon, ended
	return nil
}

func (r *runState) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.yield, r.abandon, r.ended = false, nil, nil, nil
}

//export goIltEvent
func goIltEvent(event *C.ilt_event, user C.uintptr_t) C.int32_t {
	r := cgo.Handle(user).Value().(*runState)
	r.mu.Lock()
	handler, yield := r.handler, r.yield
	r.mu.Unlock()
	if handler == nil && yield == nil {
		return goOn
	}
	e := Event{Type: EventType(event._type), Metrics: newMetrics(event.metrics)}
	if event.path != nil {
		e.Path = C.GoString(event.path)
	}
	return r.answer(func() error {
		if handler != nil {
			if err := handler(e); err != nil {
				return err
			}
		}
		if yield != nil {
			return yield(e)
		}
		return nil
	})
}

// Step makes one optimizer step on the session's data and returns its metrics; [io.EOF] when the run's steps are used
// up. It writes nothing, and no callback is told.
func (s *Session) Step() (Metrics, error) {
	m := emptyMetrics()
	err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status { return C.ilt_train_step(p, &m, err) })
	if err != nil {
		return Metrics{}, err
	}
	return newMetrics(&m), nil
}

// Steps makes the steps that remain, one for each turn of the loop, and gives their metrics. Between them the session
// is the caller's. The last pair has the error that they ended with, if there is one.
func (s *Session) Steps(ctx context.Context) iter.Seq2[Metrics, error] {
	return func(yield func(Metrics, error) bool) {
		for {
			if ctx.Err() != nil {
				yield(Metrics{}, stoppedBy(ctx))
				return
			}
			m, err := s.Step()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}
