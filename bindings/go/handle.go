package ilt

import (
	"log/slog"
	"runtime"
	"sync"
)

// A handle owns one object of the library. It is freed when it is closed and no call uses it any more: at once, or by
// the call that ends last, so that closing from a callback or beside a call is sound. A handle that is dropped without
// being closed is freed by the garbage collector, with a line in the log.
type handle[P comparable] struct {
	mu     sync.Mutex
	object P
	uses   int
	closed bool

	free    func(P)
	cleanup runtime.Cleanup
}

// newHandle takes over object, a pointer to what free frees.
func newHandle[P comparable](kind string, object P, free func(P)) *handle[P] {
	h := &handle[P]{object: object, free: free}
	h.cleanup = runtime.AddCleanup(h, func(object P) {
		logger().Warn("garbage collected without Close", slog.String("component", "go"), slog.String("kind", kind))
		free(object)
	}, object)
	return h
}

// use gives the object to one call, which ends with done.
func (h *handle[P]) use() (P, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		var none P
		return none, ErrClosed
	}
	h.uses++
	return h.object, nil
}

// done ends a use. Called after the library has returned, it also keeps the handle alive so long.
func (h *handle[P]) done() {
	h.mu.Lock()
	h.uses--
	last := h.closed && h.uses == 0
	h.mu.Unlock()
	if last {
		h.free(h.object)
	}
}

// abandon leaves a use that will never return: the object stays, for the library may still hold it.
func (h *handle[P]) abandon() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.uses++ // never ends
	h.cleanup.Stop()
}

// close frees the object once no call uses it; a second close does nothing.
func (h *handle[P]) close() {
	h.mu.Lock()
	first := !h.closed
	last := first && h.uses == 0
	h.closed = true
	h.mu.Unlock()
	if first {
		h.cleanup.Stop()
	}
	if last {
		h.free(h.object)
	}
}
