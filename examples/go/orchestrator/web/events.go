package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const heartbeat = 15 * time.Second // keeps proxies from closing a quiet stream

// events streams a job's updates from its first step on, then "end" with the job. The id of an event is its step: a
// client that comes back with Last-Event-ID is given that step's updates again, and what follows.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	_, feed, err := s.queue.Job(id)
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	from, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64) // 0 where there is none
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := http.NewResponseController(w)
	quiet := time.NewTicker(heartbeat)
	defer quiet.Stop()
	for sent := 0; ; {
		updates, ended, more := feed.After(sent)
		sent += len(updates)
		for _, u := range updates {
			if u.Metrics.Step >= from {
				if err := send(w, u.Type, strconv.FormatInt(u.Metrics.Step, 10), u); err != nil {
					return
				}
			}
		}
		if ended {
			if job, _, err := s.queue.Job(id); err == nil {
				send(w, "end", "", job) //nolint:errcheck // the last of the stream
			}
			return
		}
		if stream.Flush() != nil {
			return
		}
		select {
		case <-more:
		case <-quiet.C:
			if _, err := io.WriteString(w, ": still here\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func send(w io.Writer, event, id string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	_, err = fmt.Fprintf(w, "event: %s\n%sdata: %s\n\n", event, id, data)
	return err
}
