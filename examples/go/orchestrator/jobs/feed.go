package jobs

import (
	"sync"

	"libilt.org/go/ilt"
)

// An Update is one event of a run.
type Update struct {
	Type    string      `json:"type"` // "step_end", "eval_end", "checkpoint", ...
	Metrics ilt.Metrics `json:"metrics"`
	Path    string      `json:"path,omitempty"`
}

// A Feed is the growing list of a job's updates, that any number of readers follow at their own pace.
type Feed struct {
	mu      sync.Mutex
	updates []Update
	ended   bool
	changed chan struct{} // closed, and replaced, with each change
}

func newFeed(updates []Update) *Feed { return &Feed{updates: updates, changed: make(chan struct{})} }

// After gives the updates after the first n, whether these are all, and a channel that is closed when there is more.
func (f *Feed) After(n int) (updates []Update, ended bool, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.updates[min(n, len(f.updates)):], f.ended, f.changed
}

func (f *Feed) add(u Update) { f.change(func() { f.updates = append(f.updates, u) }) }

func (f *Feed) end() { f.change(func() { f.ended = true }) }

func (f *Feed) change(apply func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	apply()
	close(f.changed)
	f.changed = make(chan struct{})
}

// lastStep is the number of the newest step in the feed.
func (f *Feed) lastStep() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.updates) == 0 {
		return 0
	}
	return f.updates[len(f.updates)-1].Metrics.Step
}
