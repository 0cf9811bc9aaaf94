package ilt_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"libilt.org/go/ilt"
)

func loadTokenizer(t testing.TB) *ilt.Tokenizer {
	t.Helper()
	tokenizer, err := ilt.LoadTokenizer(model)
	check(t, err)
	t.Cleanup(func() { tokenizer.Close() })
	return tokenizer
}

func TestTokenizer(t *testing.T) {
	tokenizer := loadTokenizer(t)
	for _, text := range []string{"Hello!", ""} {
		ids, err := tokenizer.Encode(text, false)
		check(t, err)
		back, err := tokenizer.Decode(ids, true)
		check(t, err)
		if back != text || len(ids) != len(text) { // one token a character
			t.Errorf("%q -> %v -> %q", text, ids, back)
		}
	}
	if tokenizer.VocabSize() < 100 {
		t.Errorf("vocabulary of %d", tokenizer.VocabSize())
	}
	if _, err := tokenizer.Encode("\xff", false); !errors.Is(err, ilt.ErrData) {
		t.Error(err)
	}
	if _, err := tokenizer.Decode([]int32{-1}, false); !errors.Is(err, ilt.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestChat(t *testing.T) {
	tokenizer := loadTokenizer(t)
	messages := []ilt.Message{{Role: "user", Content: "Hi"}, {Role: "assistant", Content: "Yes"}}
	text, err := tokenizer.RenderChat(messages[:1], true)
	check(t, err)
	if want := "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"; text != want {
		t.Errorf("%q", text)
	}
	sample, err := tokenizer.ApplyChat(ilt.Chat{Messages: messages})
	check(t, err)
	var learnt []int32
	for _, label := range sample.Labels {
		if label != ilt.IgnoreLabel {
			learnt = append(learnt, label)
		}
	}
	if text, err := tokenizer.Decode(learnt, false); err != nil || text != "Yes<|im_end|>" {
		t.Errorf("%q is learnt (%v)", text, err)
	}
	if _, err := tokenizer.ApplyChat(`{"messages": [`); !errors.Is(err, ilt.ErrData) {
		t.Error(err)
	}
}

func TestTokenizerFromManyGoroutines(t *testing.T) {
	tokenizer := loadTokenizer(t)
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 50 {
				ids, err := tokenizer.Encode(strings.Repeat("abc ", 20), false)
				if err != nil || len(ids) != 80 {
					t.Error(len(ids), err)
				}
			}
		}()
	}
	group.Wait()
}
