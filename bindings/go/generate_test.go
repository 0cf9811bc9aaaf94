package ilt_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"libilt.org/go/ilt"
)

var prompt = []int32{4, 20, 21, 22}

func TestGenerate(t *testing.T) {
	s := newSession(t, ilt.Config{ModelPath: model})
	options := ilt.GenerateOptions{MaxNewTokens: 12, Temperature: 1, Seed: 7, StopIDs: []int32{2}}
	want, err := s.Generate(t.Context(), prompt, options)
	check(t, err)
	if len(want) == 0 || len(want) > 12 {
		t.Fatalf("%v", want)
	}
	var got []int32
	for id, err := range s.Tokens(t.Context(), prompt, options) {
		check(t, err)
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v in one, %v one by one", want, got)
	}
	got = nil
	for id := range s.Tokens(t.Context(), prompt, options) {
		if got = append(got, id); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, want[:3]) {
		t.Errorf("%v, then left", got)
	}
	if _, err := s.Generate(t.Context(), nil, options); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := s.Generate(t.Context(), prompt, ilt.GenerateOptions{TopP: 2}); !errors.Is(err, ilt.ErrConfig) {
		t.Error(err)
	}
}

func TestGenerateUntilTheContextEnds(t *testing.T) {
	s := newSession(t, ilt.Config{ModelPath: model})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options := ilt.GenerateOptions{MaxNewTokens: 1_000_000, Temperature: 1, StopIDs: []int32{2}}
	var count int
	for _, err := range s.Tokens(ctx, prompt, options) {
		if err != nil {
			if !errors.Is(err, context.Canceled) || !errors.Is(err, ilt.ErrStopped) {
				t.Error(err)
			}
			return
		}
		if count++; count == 2 {
			cancel()
		}
		if count > 2 {
			t.Fatal("a token after the context's end")
		}
	}
	t.Skipf("the model ended its text by itself after %d tokens", count)
}

func TestScore(t *testing.T) {
	s := newSession(t, ilt.Config{ModelPath: model})
	logprobs, err := s.Score(prompt)
	check(t, err)
	if len(logprobs) != len(prompt)-1 {
		t.Fatalf("%v", logprobs)
	}
	for _, p := range logprobs {
		if !(p < 0) || math.IsInf(float64(p), 0) {
			t.Errorf("%v", logprobs)
		}
	}
	for _, ids := range [][]int32{nil, {5}, {1 << 20, 1}} {
		if _, err := s.Score(ids); !errors.Is(err, ilt.ErrInvalidArgument) {
			t.Errorf("%v: %v", ids, err)
		}
	}
}
