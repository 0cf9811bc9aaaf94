package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"libilt.org/go/examples/orchestrator/internal/testjob"
	"libilt.org/go/examples/orchestrator/jobs"
	"libilt.org/go/ilt"
)

// newServer serves an empty queue that trains so many jobs at a time.
func newServer(t *testing.T, atOnce int) *httptest.Server {
	t.Helper()
	queue, err := jobs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); queue.Run(ctx, atOnce) }()
	t.Cleanup(func() { cancel(); <-ended })
	server := httptest.NewServer(Handler(queue))
	t.Cleanup(server.Close)
	return server
}

// ask makes a request and decodes the answer into out, unless that is nil.
func ask(t *testing.T, method, url string, body any, out any) int {
	t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		document, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader = strings.NewReader(string(document))
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	switch o := out.(type) {
	case nil:
	case *string:
		*o = string(answer)
	default:
		if err := json.Unmarshal(answer, out); err != nil {
			t.Fatalf("%s %s: %s: %v", method, url, answer, err)
		}
	}
	return response.StatusCode
}

func submit(t *testing.T, server *httptest.Server, config ilt.Config) string {
	t.Helper()
	var job jobs.Job
	if status := ask(t, "POST", server.URL+"/jobs", config, &job); status != http.StatusCreated {
		t.Fatal(status)
	}
	return job.ID
}

// await asks for a job until it is in a state.
func await(t *testing.T, server *httptest.Server, id string, state jobs.State) jobs.Job {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var job jobs.Job
		if ask(t, "GET", server.URL+"/jobs/"+id, nil, &job); job.State == state {
			return job
		}
	}
	t.Fatalf("job %s is not %s after a minute", id, state)
	return jobs.Job{}
}

func TestJob(t *testing.T) {
	server := newServer(t, 1)
	config := testjob.Config(t, 8)
	id := submit(t, server, config)
	var stream string
	ask(t, "GET", server.URL+"/jobs/"+id+"/events", nil, &stream) // until the job ends
	if got := strings.Count(stream, "event: step_end\n"); got != 8 || !strings.Contains(stream, "event: end\n") {
		t.Errorf("%d steps in\n%s", got, stream)
	}
	job := await(t, server, id, jobs.Done)
	if want := testjob.Losses(t, config); job.Metrics.Loss != want[7] || job.Ended.IsZero() {
		t.Errorf("%+v", job)
	}
	var all []jobs.Job
	if ask(t, "GET", server.URL+"/jobs", nil, &all); len(all) != 1 || all[0].ID != id {
		t.Errorf("%+v", all)
	}
	if status := ask(t, "DELETE", server.URL+"/jobs/"+id, nil, nil); status != http.StatusConflict {
		t.Error(status)
	}
}

func TestStreamGoesOnWhereItBroke(t *testing.T) {
	server := newServer(t, 1)
	id := submit(t, server, testjob.Config(t, 4))
	await(t, server, id, jobs.Done)
	request, err := http.NewRequest("GET", server.URL+"/jobs/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Last-Event-ID", "3")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream, err := io.ReadAll(response.Body)
	if err != nil || strings.Count(string(stream), "event: step_end\n") != 2 {
		t.Errorf("%s %v", stream, err)
	}
}

func TestCancel(t *testing.T) {
	server := newServer(t, 1)
	running := submit(t, server, testjob.Config(t, 1_000_000))
	waiting := submit(t, server, testjob.Config(t, 8))
	await(t, server, running, jobs.Running)

	for _, id := range []string{waiting, running} {
		if status := ask(t, "DELETE", server.URL+"/jobs/"+id, nil, nil); status != http.StatusAccepted {
			t.Error(id, status)
		}
		await(t, server, id, jobs.Cancelled)
	}
	if status := ask(t, "DELETE", server.URL+"/jobs/nonsense", nil, nil); status != http.StatusNotFound {
		t.Error(status)
	}
}

func TestTwoJobsAtOnce(t *testing.T) {
	server := newServer(t, 2)
	var ids []string
	for range 3 {
		ids = append(ids, submit(t, server, testjob.Config(t, 1_000_000)))
	}
	await(t, server, ids[0], jobs.Running)
	await(t, server, ids[1], jobs.Running)
	await(t, server, ids[2], jobs.Queued)
}

func TestBadOptions(t *testing.T) {
	server := newServer(t, 1)
	for body, want := range map[string]string{
		`{"learning_rat": 1}`: "learning_rate",
		`{"model_path": "m"}`: "data_path",
		`{"model_path": "m", "data_path": "d", "ckpt_output_dir": "/etc"}`: "ckpt_output_dir",
		`{`: "JSON",
	} {
		var answer string
		status := ask(t, "POST", server.URL+"/jobs", body, &answer)
		if status != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}

func TestFailure(t *testing.T) {
	server := newServer(t, 1)
	config := testjob.Config(t, 8)
	config.DataPath = []string{"no/such/file.jsonl"}
	if job := await(t, server, submit(t, server, config), jobs.Failed); !strings.Contains(job.Error, "no/such/file.jsonl") {
		t.Errorf("%+v", job)
	}
}

func TestMetrics(t *testing.T) {
	server := newServer(t, 1)
	id := submit(t, server, testjob.Config(t, 1_000_000))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var text string
		ask(t, "GET", server.URL+"/metrics", nil, &text)
		if strings.Contains(text, `ilt_jobs{state="running"} 1`) && strings.Contains(text, `ilt_job_loss{job="`+id+`"} `) &&
			strings.Contains(text, "# TYPE ilt_job_step gauge") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(text)
		}
	}
}

func TestOptionsAndPage(t *testing.T) {
	server := newServer(t, 1)
	var schema struct{ Properties map[string]any }
	if ask(t, "GET", server.URL+"/options", nil, &schema); schema.Properties["learning_rate"] == nil {
		t.Error("no schema of options")
	}
	var html string
	if ask(t, "GET", server.URL+"/", nil, &html); !strings.Contains(html, "<title>Training jobs</title>") {
		t.Error(html)
	}
	if status := ask(t, "GET", server.URL+"/nonsense", nil, nil); status != http.StatusNotFound {
		t.Error(status)
	}
}
