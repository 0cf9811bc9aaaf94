package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"unsafe"
)

// An Evaluation is the loss on data that nothing is learnt from.
type Evaluation struct {
	Loss   float64 // mean over the loss-bearing tokens, in nats
	Tokens int64   // how many these are
}

// Evaluate measures the loss on a data set, or, where that is nil, on the session's validation data, as a validation of
// a run does. It changes neither metrics nor the choice of a best checkpoint.
func (s *Session) Evaluate(ctx context.Context, data *Dataset) (Evaluation, error) {
	var d *C.ilt_dataset
	if data != nil {
		p, err := data.h.use()
		if err != nil {
			return Evaluation{}, err
		}
		defer data.h.done()
		d = p
	}
	var (
		loss   C.double
		tokens C.int64_t
	)
	err := s.callUntil(ctx, func(p *C.ilt_session, token *C.ilt_cancel_token, err **C.ilt_error) C.ilt_status {
		return C.ilt_evaluate(p, d, token, &loss, &tokens, err)
	})
	if err != nil {
		return Evaluation{}, err
	}
	return Evaluation{Loss: float64(loss), Tokens: int64(tokens)}, nil
}

// Score gives the log-probability, as a natural logarithm, of each of at least two ids after the first: the i-th is
// that of ids[i+1] after ids[0] to ids[i].
func (s *Session) Score(ids []int32) ([]float32, error) {
	logprobs := make([]float32, max(len(ids)-1, 1)) // the library checks the number of ids
	err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		out := (*C.float)(unsafe.Pointer(unsafe.SliceData(logprobs)))
		return C.ilt_score(p, idArray(ids), C.size_t(len(ids)), out, err)
	})
	if err != nil {
		return nil, err
	}
	return logprobs, nil
}

// A MemoryEstimate is what training takes of the host's memory, in bytes. Not counted are the data, the tokenizer, and
// what every process has.
type MemoryEstimate struct {
	Weights     int64 `json:"weights"`
	Gradients   int64 `json:"gradients"`
	Optimizer   int64 `json:"optimizer"`
	Activations int64 `json:"activations"` // in proportion to Tokens
	Loss        int64 `json:"loss"`
	Total       int64 `json:"total"`
	Tokens      int64 `json:"tokens"` // of the largest micro-batch
}

// EstimateMemory tells what a session of a configuration would take to train. It reads the model's files, but no
// weights and no data.
func EstimateMemory(c Config) (MemoryEstimate, error) {
	config, err := newConfig(c)
	if err != nil {
		return MemoryEstimate{}, err
	}
	defer config.close()
	p, err := config.use()
	if err != nil {
		return MemoryEstimate{}, err
	}
	defer config.done()
	return callJSON[MemoryEstimate](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_memory_estimate_json(p, out, length, err)
	})
}
