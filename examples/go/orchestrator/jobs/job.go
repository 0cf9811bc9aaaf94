// Package jobs queues training jobs, runs them, and keeps them on disk.
package jobs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"libilt.org/go/ilt"
)

// A State is where a job is in its life.
type State string

// The states of jobs.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// States are all of them, in the order of a job's life.
var States = []State{Queued, Running, Done, Failed, Cancelled}

// Ended reports whether nothing more happens to a job.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// Errors of a [Queue].
var (
	ErrNoJob = errors.New("no such job")
	ErrEnded = errors.New("the job has ended")
)

// A Job is one training run.
type Job struct {
	ID       string       `json:"id"`
	State    State        `json:"state"`
	Config   ilt.Config   `json:"config"`
	Created  time.Time    `json:"created"`
	Started  time.Time    `json:"started,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
	Restarts int          `json:"restarts,omitempty"` // how often it went on after the service had ended
	Error    string       `json:"error,omitempty"`
	Metrics  *ilt.Metrics `json:"metrics,omitempty"` // of its last step
}

// newID sorts by time.
func newID(now time.Time) string {
	var salt [3]byte
	rand.Read(salt[:]) //nolint:errcheck // it never fails
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(salt[:])
}
