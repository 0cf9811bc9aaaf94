// Package web serves a queue of jobs over HTTP.
package web

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"libilt.org/go/examples/orchestrator/jobs"
	"libilt.org/go/ilt"
)

//go:embed page.html
var page []byte

const maxRequest = 1 << 20 // bytes of options

// Handler serves the queue. Browsers may change it from its own page only.
func Handler(queue *jobs.Queue) http.Handler {
	s := &server{queue}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /jobs", s.submit)
	mux.HandleFunc("GET /jobs", s.list)
	mux.HandleFunc("GET /jobs/{id}", s.get)
	mux.HandleFunc("DELETE /jobs/{id}", s.cancel)
	mux.HandleFunc("GET /jobs/{id}/events", s.events)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /options", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/schema+json")
		w.Write([]byte(ilt.ConfigSchema()))
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline'")
		w.Write(page)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

type server struct{ queue *jobs.Queue }

func (s *server) submit(w http.ResponseWriter, r *http.Request) {
	var config ilt.Config
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&config); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("the options are no JSON object that is understood: %w", err))
		return
	}
	job, err := s.queue.Submit(config)
	if errors.Is(err, ilt.ErrConfig) {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Location", "/jobs/"+job.ID)
	answer(w, http.StatusCreated, job)
}

func (s *server) list(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.queue.Jobs())
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	job, _, err := s.queue.Job(r.PathValue("id"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	answer(w, http.StatusOK, job)
}

func (s *server) cancel(w http.ResponseWriter, r *http.Request) {
	job, err := s.queue.Cancel(r.PathValue("id"))
	switch {
	case errors.Is(err, jobs.ErrNoJob):
		refuse(w, http.StatusNotFound, err)
	case errors.Is(err, jobs.ErrEnded):
		refuse(w, http.StatusConflict, err)
	case err != nil:
		refuse(w, http.StatusInternalServerError, err)
	default:
		answer(w, http.StatusAccepted, job)
	}
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		slog.Debug("answer", "error", err) // the client has gone
	}
}

// refuse answers with an error as JSON; one of libilt's with its kind and details.
func refuse(w http.ResponseWriter, status int, err error) {
	body := struct {
		Error  string         `json:"error"`
		Kind   string         `json:"kind,omitempty"`
		Detail map[string]any `json:"detail,omitempty"`
	}{Error: err.Error()}
	var e *ilt.Error
	if errors.As(err, &e) {
		body.Error, body.Kind, body.Detail = e.Message, e.Status.String(), e.Detail
	}
	answer(w, status, body)
}
