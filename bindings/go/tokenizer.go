package ilt

// #include "shim.h"
import "C"

import (
	"encoding/json"
	"unsafe"
)

// IgnoreLabel is the label of a token that is not learnt.
const IgnoreLabel = -100

// A Sample is a sequence of token ids with what is learnt of it: Labels[i] is IDs[i] where the token is to be learnt,
// else [IgnoreLabel]. Position 0 never counts.
type Sample struct {
	IDs    []int32
	Labels []int32
}

// A Tokenizer turns text and chats into token ids as a model's folder says. It never changes: all its methods may be
// called from many goroutines at once.
type Tokenizer struct{ h *handle[*C.ilt_tokenizer] }

// LoadTokenizer reads the tokenizer, and the chat template if there is one, of a Hugging Face folder or a GGUF file.
func LoadTokenizer(modelPath string) (*Tokenizer, error) {
	path := cString(modelPath)
	defer freeString(path)
	var p *C.ilt_tokenizer
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_tokenizer_load(path, &p, err) }); err != nil {
		return nil, err
	}
	return &Tokenizer{newHandle("tokenizer", p, func(p *C.ilt_tokenizer) { C.ilt_tokenizer_free(p) })}, nil
}

// Close frees the tokenizer.
func (t *Tokenizer) Close() error {
	t.h.close()
	return nil
}

// VocabSize is the largest token id + 1, added tokens included; 0 after Close.
func (t *Tokenizer) VocabSize() int {
	p, err := t.h.use()
	if err != nil {
		return 0
	}
	defer t.h.done()
	return int(C.ilt_tokenizer_vocab_size(p))
}

// Encode gives the token ids of a text. With addSpecial they include what the tokenizer puts round a text (BOS, EOS);
// rendered chats have their own.
func (t *Tokenizer) Encode(s string, addSpecial bool) ([]int32, error) {
	p, err := t.h.use()
	if err != nil {
		return nil, err
	}
	defer t.h.done()
	var (
		data, length = text(s)
		ids          *C.int32_t
		count        C.size_t
	)
	if err := call(func(err **C.ilt_error) C.ilt_status {
		return C.ilt_tokenizer_encode(p, data, length, cBool(addSpecial), &ids, &count, err)
	}); err != nil {
		return nil, err
	}
	return takeIDs(ids, count), nil
}

// Decode gives the text of token ids, without special tokens if skipSpecial is set.
func (t *Tokenizer) Decode(ids []int32, skipSpecial bool) (string, error) {
	p, err := t.h.use()
	if err != nil {
		return "", err
	}
	defer t.h.done()
	return callString(func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_tokenizer_decode(p, idArray(ids), C.size_t(len(ids)), cBool(skipSpecial), out, length, err)
	})
}

// RenderChat gives the text of a chat by the model's template. With addGenerationPrompt it ends with what opens the
// assistant's turn.
func (t *Tokenizer) RenderChat(messages []Message, addGenerationPrompt bool) (string, error) {
	p, err := t.h.use()
	if err != nil {
		return "", err
	}
	defer t.h.done()
	document, err := json.Marshal(messages)
	if err != nil {
		return "", err
	}
	data, n := text(document)
	return callString(func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_tokenizer_render_chat(p, data, n, cBool(addGenerationPrompt), out, length, err)
	})
}

// ApplyChat gives the sample that training would make of a record: a [Chat], any other value that encodes to a chat
// record, or its JSON as a string, []byte or [json.RawMessage].
func (t *Tokenizer) ApplyChat(record any) (Sample, error) {
	p, err := t.h.use()
	if err != nil {
		return Sample{}, err
	}
	defer t.h.done()
	document, err := encodeRecord(record)
	if err != nil {
		return Sample{}, err
	}
	var (
		data, length = text(document)
		ids, labels  *C.int32_t
		count        C.size_t
	)
	if err := call(func(err **C.ilt_error) C.ilt_status {
		return C.ilt_tokenizer_apply_chat(p, data, length, &ids, &labels, &count, err)
	}); err != nil {
		return Sample{}, err
	}
	return Sample{IDs: takeIDs(ids, count), Labels: takeIDs(labels, count)}, nil
}

// idArray is the array of a slice, NULL where it is empty.
func idArray(ids []int32) *C.int32_t { return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(ids))) }
