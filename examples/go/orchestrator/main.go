// Command orchestrator is an HTTP service that queues training jobs and runs them with libilt.
//
//	orchestrator [-listen 127.0.0.1:8080] [-state FOLDER] [-at-once N]
//
//	POST   /jobs               options as JSON: queues a job
//	GET    /jobs               all jobs
//	GET    /jobs/{id}          one job
//	DELETE /jobs/{id}          cancels it
//	GET    /jobs/{id}/events   its progress, as server-sent events
//	GET    /options            JSON Schema of the options
//	GET    /metrics            for Prometheus
//	GET    /                   a page to look at
//
// All that it knows is in its state folder. Stopped or killed, it goes on with the jobs that were running from their
// newest full state, with the losses that they would have had.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"libilt.org/go/examples/orchestrator/jobs"
	"libilt.org/go/examples/orchestrator/web"
	"libilt.org/go/ilt"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve; it has no authentication")
	state := flag.String("state", "jobs", "folder for jobs and their checkpoints")
	atOnce := flag.Int("at-once", 1, "how many jobs train at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *state, *atOnce); err != nil {
		slog.Error("orchestrator", "error", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, listen, state string, atOnce int) error {
	if err := ilt.SetLogger(slog.Default()); err != nil {
		return err
	}
	queue, err := jobs.Open(state)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	slog.Info("serving", "address", "http://"+listener.Addr().String(), "state", state)

	server := &http.Server{
		Handler:           web.Handler(queue),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends the streams, too
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	trained := make(chan struct{})
	go func() { defer close(trained); queue.Run(ctx, atOnce) }()

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	<-trained // each running job has saved its state
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
