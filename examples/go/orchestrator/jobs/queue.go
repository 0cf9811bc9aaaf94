package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"libilt.org/go/ilt"
)

// A Queue holds all jobs and runs them in their order.
type Queue struct {
	store store

	mu     sync.Mutex
	jobs   map[string]*entry
	order  []*entry      // oldest first
	submit chan struct{} // holds a token while there may be queued jobs that nobody has looked at
}

type entry struct {
	job    Job
	feed   *Feed
	cancel context.CancelCauseFunc // of a running job
}

var errCancelled = errors.New("cancelled")

// Open reads the jobs of a state folder. Those that were running when the service ended are first in the queue.
func Open(folder string) (*Queue, error) {
	q := &Queue{store: store{folder}, jobs: map[string]*entry{}, submit: make(chan struct{}, 1)}
	known, err := q.store.load()
	if err != nil {
		return nil, err
	}
	for _, job := range known {
		updates, err := readHistory(q.store.outputDir(job.ID))
		if err != nil {
			return nil, err
		}
		e := &entry{job: job, feed: newFeed(updates)}
		if len(updates) > 0 {
			e.job.Metrics = &updates[len(updates)-1].Metrics
		}
		switch {
		case job.State == Running:
			e.job.State = Queued
			e.job.Restarts++
			slog.Info("going on with a job", "job", job.ID, "step", e.feed.lastStep())
			if err := q.store.save(e.job); err != nil {
				return nil, err
			}
		case job.State.Ended():
			e.feed.end()
		}
		q.add(e)
	}
	q.wake()
	return q, nil
}

func (q *Queue) add(e *entry) {
	q.jobs[e.job.ID] = e
	q.order = append(q.order, e)
}

func (q *Queue) wake() {
	select {
	case q.submit <- struct{}{}:
	default: // somebody will look already
	}
}

// Submit queues a job after having checked its options. The service chooses where it writes, and sees to it that there
// are full states to go on from.
func (q *Queue) Submit(config ilt.Config) (Job, error) {
	if config.CkptOutputDir != "" {
		return Job{}, &ilt.Error{
			Status:  ilt.ErrConfig,
			Message: "ckpt_output_dir is the service's to choose: leave it out",
			Detail:  map[string]any{"key": "ckpt_output_dir"},
		}
	}
	if len(config.DataPath) == 0 {
		return Job{}, &ilt.Error{
			Status: ilt.ErrConfig, Message: "data_path is missing", Detail: map[string]any{"key": "data_path"},
		}
	}
	if config.SaveEverySteps == 0 && config.SaveEveryMinutes == 0 {
		config.SaveEveryMinutes = 5
	}
	now := time.Now().UTC()
	job := Job{ID: newID(now), State: Queued, Config: config, Created: now}
	job.Config.CkptOutputDir = q.store.outputDir(job.ID)
	if err := job.Config.Validate(); err != nil {
		return Job{}, err
	}
	if err := q.store.save(job); err != nil {
		return Job{}, err
	}
	q.mu.Lock()
	q.add(&entry{job: job, feed: newFeed(nil)})
	q.mu.Unlock()
	q.wake()
	return job, nil
}

// Cancel ends a job: at once if it waits, after its step if it runs.
func (q *Queue) Cancel(id string) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.jobs[id]
	switch {
	case !ok:
		return Job{}, fmt.Errorf("%w: %s", ErrNoJob, id)
	case e.job.State.Ended():
		return e.job, fmt.Errorf("%w: it is %s", ErrEnded, e.job.State)
	case e.job.State == Running:
		e.cancel(errCancelled)
		return e.job, nil
	}
	e.job.State, e.job.Ended = Cancelled, time.Now().UTC()
	e.feed.end()
	return e.job, q.store.save(e.job)
}

// Jobs are all jobs, oldest first.
func (q *Queue) Jobs() []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := make([]Job, 0, len(q.order))
	for _, e := range q.order {
		jobs = append(jobs, e.job)
	}
	return jobs
}

// Job gives one job, and the feed of its updates.
func (q *Queue) Job(id string) (Job, *Feed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.jobs[id]
	if !ok {
		return Job{}, nil, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	return e.job, e.feed, nil
}
