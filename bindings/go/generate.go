package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"iter"
	"runtime/cgo"
)

// GenerateOptions say how a prompt is continued. The zero value takes the likeliest token each time, up to 128.
type GenerateOptions struct {
	MaxNewTokens int     `json:"max_new_tokens,omitzero"` // 0: 128
	Temperature  float64 `json:"temperature,omitzero"`    // 0: the likeliest token
	TopP         float64 `json:"top_p,omitzero"`          // 0: 1
	TopK         int     `json:"top_k,omitzero"`          // 0: all
	Seed         int64   `json:"seed,omitzero"`
	StopIDs      []int32 `json:"stop_ids,omitempty"` // empty: the model's end-of-sequence ids
}

// Generate continues a prompt of at least one token id and returns the new ids. When ctx ends, it returns those so far
// with [ErrStopped].
func (s *Session) Generate(ctx context.Context, prompt []int32, options GenerateOptions) ([]int32, error) {
	return s.generate(ctx, prompt, options, nil)
}

// Tokens continues a prompt as [Session.Generate] does and gives each token as it comes. Leaving the loop ends it. The
// loop's body must not use the session. The last pair has the error that it ended with, if there is one.
func (s *Session) Tokens(ctx context.Context, prompt []int32, options GenerateOptions) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		left := false
		_, err := s.generate(ctx, prompt, options, func(id int32) error {
			if left = !yield(id, nil); left {
				return Stop
			}
			return nil
		})
		if err != nil && !left {
			yield(0, err)
		}
	}
}

type tokenCallback struct {
	outcome
	token func(id int32) error
}

func (s *Session) generate(ctx context.Context, prompt []int32, options GenerateOptions,
	token func(int32) error) ([]int32, error) {
	document, err := optionsJSON(options)
	if err != nil {
		return nil, err
	}
	defer freeString(document)

	watcher := &tokenCallback{token: token}
	watcher.abandon, watcher.ended = s.h.abandon, s.ended(ctx)
	var user cgo.Handle
	if token != nil {
		user = cgo.NewHandle(watcher)
		defer user.Delete()
	}
	var (
		ids   *C.int32_t
		count C.size_t
	)
	err = s.callUntil(ctx, func(p *C.ilt_session, cancel *C.ilt_cancel_token, err **C.ilt_error) C.ilt_status {
		return C.ilt_go_generate(p, idArray(prompt), C.size_t(len(prompt)), document, C.uintptr_t(user), cancel, &ids,
			&count, err)
	})
	var tokens []int32
	if err == nil || errors.Is(err, ErrStopped) {
		tokens = takeIDs(ids, count)
	}
	return tokens, watcher.resume(err)
}

//export goIltToken
func goIltToken(token C.int32_t, user C.uintptr_t) C.int32_t {
	callback := cgo.Handle(user).Value().(*tokenCallback)
	return callback.answer(func() error { return callback.token(int32(token)) })
}
