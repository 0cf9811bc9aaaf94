package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"libilt.org/go/ilt"
)

// Run trains jobs, so many at a time, until ctx ends; it returns when the jobs that were running have stopped. These
// stay as running on disk: the next [Open] goes on with them.
func (q *Queue) Run(ctx context.Context, atOnce int) {
	places := make(chan struct{}, max(atOnce, 1))
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		e, jobContext := q.take(ctx)
		if e == nil {
			return
		}
		running.Add(1)
		go func() {
			defer running.Done()
			defer func() { <-places }()
			q.run(jobContext, e)
		}()
	}
}

// take waits for a queued job; nil when ctx ends.
func (q *Queue) take(ctx context.Context) (*entry, context.Context) {
	for {
		if ctx.Err() != nil {
			return nil, nil
		}
		if e, jobContext := q.next(ctx); e != nil {
			return e, jobContext
		}
		select {
		case <-q.submit:
		case <-ctx.Done():
		}
	}
}

// next marks the oldest queued job as running, with a context that Cancel ends; one that was interrupted is older than
// all that wait.
func (q *Queue) next(ctx context.Context) (*entry, context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.order {
		if e.job.State == Queued {
			e.job.State = Running
			ctx, e.cancel = context.WithCancelCause(ctx)
			return e, ctx
		}
	}
	return nil, nil
}

// run trains one job to its end, or until ctx ends or it is cancelled.
func (q *Queue) run(ctx context.Context, e *entry) {
	defer e.cancel(nil)
	q.update(e, func(job *Job) {
		if job.Started.IsZero() {
			job.Started = time.Now().UTC()
		}
	})
	log := slog.With("job", e.job.ID)
	log.Info("training")
	err := q.train(ctx, e)
	if errors.Is(err, context.Canceled) && !errors.Is(err, errCancelled) {
		log.Info("interrupted") // by the end of the service
		return
	}
	q.update(e, func(job *Job) {
		job.Ended = time.Now().UTC()
		switch {
		case err == nil || err == ilt.ErrStopped: // the latter by max_minutes
			job.State = Done
		case errors.Is(err, errCancelled):
			job.State = Cancelled
		default:
			job.State, job.Error = Failed, err.Error()
		}
	})
	log.Info("ended", "state", e.job.State, "error", err)
	e.feed.end()
}

func (q *Queue) train(ctx context.Context, e *entry) error {
	session, err := ilt.NewSession(e.job.Config)
	if err != nil {
		return err
	}
	defer session.Close()
	known := e.feed.lastStep() // from before a crash; steps that are done again are the same again
	for event, err := range session.Events(ctx) {
		if err != nil {
			return err
		}
		q.note(e, event.Metrics)
		if event.Metrics.Step > known || event.Type == ilt.EventCheckpoint {
			e.feed.add(Update{Type: event.Type.String(), Metrics: event.Metrics, Path: event.Path})
		}
	}
	return nil
}

// note keeps the newest metrics in memory; they are on disk in the metrics file.
func (q *Queue) note(e *entry, m ilt.Metrics) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.job.Metrics = &m
}

// update changes a job, and saves it.
func (q *Queue) update(e *entry, change func(*Job)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&e.job)
	if err := q.store.save(e.job); err != nil {
		slog.Error("a job could not be saved", "job", e.job.ID, "error", err)
	}
}
