package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"runtime/cgo"
)

// A Session is a model with its optimizer and its data.
type Session struct {
	h    *handle[*C.ilt_session]
	run  *runState
	life context.Context // ends with Close
	end  context.CancelFunc
}

// NewSession loads the model of a configuration, and its data unless DataPath is empty: then the session can be asked
// and saved, and trains once it has [Session.SetData], or batches of the caller's.
//
// Where Config.CkptOutputDir holds full states, the session goes on from the newest one (Config.Resume).
func NewSession(c Config) (*Session, error) {
	config, err := newConfig(c)
	if err != nil {
		return nil, err
	}
	defer config.close()
	var p *C.ilt_session
	if err := config.call(func(c *C.ilt_config, err **C.ilt_error) C.ilt_status {
		return C.ilt_session_create(c, &p, err)
	}); err != nil {
		return nil, err
	}
	s := &Session{
		h:   newHandle("session", p, func(p *C.ilt_session) { C.ilt_session_free(p) }),
		run: &runState{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	user := cgo.NewHandle(s.run) // goIltDestroy deletes it; it must not lead to s, which then could never be collected
	if err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_go_set_event_callback(p, C.uintptr_t(user), err)
	}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close frees the session and asks a run of it to stop. It does not wait for calls that use the session; the last of
// them frees it when it returns. Close may be called from anywhere, callbacks included, and more than once.
func (s *Session) Close() error {
	s.end()
	s.h.close()
	return nil
}

// call runs one function on the session.
func (s *Session) call(f func(p *C.ilt_session, err **C.ilt_error) C.ilt_status) error {
	p, err := s.h.use()
	if err != nil {
		return err
	}
	defer s.h.done()
	return call(func(err **C.ilt_error) C.ilt_status { return f(p, err) })
}

// callUntil runs one function on the session that ends early with ctx, and with Close.
func (s *Session) callUntil(ctx context.Context,
	f func(p *C.ilt_session, token *C.ilt_cancel_token, err **C.ilt_error) C.ilt_status) error {
	p, err := s.h.use()
	if err != nil {
		return err
	}
	defer s.h.done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(ErrClosed) })()
	return withToken(ctx, func(token *C.ilt_cancel_token) error {
		err := call(func(err **C.ilt_error) C.ilt_status { return f(p, token, err) })
		if s.life.Err() != nil { // and the function above may be late
			cancel(ErrClosed)
		}
		return err
	})
}

// ended tells callbacks whether the call that they belong to is to stop.
func (s *Session) ended(ctx context.Context) func() bool {
	return func() bool { return ctx.Err() != nil || s.life.Err() != nil }
}

// SetData gives a session without data what to train on and, unless nil, what to validate on. The data sets take no
// more records then.
func (s *Session) SetData(training, validation *Dataset) error {
	t, err := training.h.use()
	if err != nil {
		return err
	}
	defer training.h.done()
	var v *C.ilt_dataset
	if validation != nil {
		if v, err = validation.h.use(); err != nil {
			return err
		}
		defer validation.h.done()
	}
	return s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_session_set_datasets(p, t, v, err)
	})
}

// Config gives the configuration that the session runs with, with all options filled in.
func (s *Session) Config() (Config, error) {
	p, err := s.h.use()
	if err != nil {
		return Config{}, err
	}
	defer s.h.done()
	document, err := callString(func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_session_config_json(p, out, length, err)
	})
	if err != nil {
		return Config{}, err
	}
	return decodeConfig([]byte(document))
}

// A ModelInfo describes the model of a session.
type ModelInfo struct {
	Architecture          string `json:"architecture"`
	Path                  string `json:"path"`
	Parameters            int64  `json:"parameters"`
	TrainableParameters   int64  `json:"trainable_parameters"`
	Tensors               int64  `json:"tensors"`
	Layers                int64  `json:"layers"`
	HiddenSize            int64  `json:"hidden_size"`
	VocabSize             int64  `json:"vocab_size"`
	MaxPositionEmbeddings int64  `json:"max_position_embeddings"`
	TiedEmbeddings        bool   `json:"tied_embeddings"`
	ComputeDtype          string `json:"compute_dtype"`
	Device                string `json:"device"`
}

// ModelInfo describes the model.
func (s *Session) ModelInfo() (ModelInfo, error) {
	p, err := s.h.use()
	if err != nil {
		return ModelInfo{}, err
	}
	defer s.h.done()
	return callJSON[ModelInfo](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_session_model_info_json(p, out, length, err)
	})
}

// ScheduleLR is the rate of the schedule, for [Session.SetLR].
const ScheduleLR = C.ILT_LR_SCHEDULE

// SetLR sets the learning rate of all optimizer steps that begin from now on, in place of what the schedule says;
// [ScheduleLR] goes back to that. It may be called while another goroutine trains, and from callbacks.
func (s *Session) SetLR(lr float64) error {
	return s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_session_set_lr(p, C.double(lr), err)
	})
}

// Poisoned reports whether the session is of no more use: its device has failed, or an update of the weights was broken
// off. Close it, and go on from a checkpoint in a new one.
func (s *Session) Poisoned() bool {
	p, err := s.h.use()
	if err != nil {
		return false
	}
	defer s.h.done()
	return C.ilt_session_is_poisoned(p) != 0
}

// RequestSave asks the run that uses the session to save a model and a full state under CkptOutputDir after the step
// that it is in, and to go on. Where none runs, the next one does so after its first step. It may be called while
// another goroutine trains; after Close it does nothing.
func (s *Session) RequestSave() {
	p, err := s.h.use()
	if err != nil {
		return
	}
	defer s.h.done()
	C.ilt_session_request_save(p)
}
