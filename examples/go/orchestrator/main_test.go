package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"libilt.org/go/examples/orchestrator/internal/testjob"
	"libilt.org/go/examples/orchestrator/jobs"
	"libilt.org/go/ilt"
)

// The tests start the service as a process of its own, which is this program with a folder in the environment.
func TestMain(m *testing.M) {
	if folder := os.Getenv("ORCHESTRATOR_TEST_STATE"); folder != "" {
		os.Args = []string{"orchestrator", "-listen", "127.0.0.1:0", "-state", folder}
		main()
		return
	}
	os.Exit(m.Run())
}

type service struct {
	process *exec.Cmd
	address string
}

func start(t *testing.T, folder string) *service {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), "ORCHESTRATOR_TEST_STATE="+folder)
	log, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "address="); found {
			go func() { // so that it can go on writing
				for lines.Scan() {
				}
			}()
			return &service{process, strings.Fields(after)[0]}
		}
	}
	t.Fatal("the service did not start")
	return nil
}

// follow reads a job's events until the function returns false, or the job ends; then it returns the job.
func (s *service) follow(t *testing.T, id string, each func(jobs.Update) bool) *jobs.Job {
	t.Helper()
	response, err := http.Get(s.address + "/jobs/" + id + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	kind := ""
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if name, found := strings.CutPrefix(lines.Text(), "event: "); found {
			kind = name
		}
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		if kind == "end" {
			job := new(jobs.Job)
			if err := json.Unmarshal([]byte(data), job); err != nil {
				t.Fatal(err)
			}
			return job
		}
		var update jobs.Update
		if err := json.Unmarshal([]byte(data), &update); err != nil {
			t.Fatal(err)
		}
		if kind == ilt.EventStepEnd.String() && !each(update) {
			return nil
		}
	}
	t.Fatalf("the stream ended early: %v", lines.Err())
	return nil
}

// A service that is killed, or ended by a signal, in the middle of a job goes on with it when it is started again, and
// the losses are those of a run without a break.
func TestCrash(t *testing.T)     { testBreak(t, syscall.SIGKILL, 11) } // the state of step 10 is there, at least
func TestInterrupt(t *testing.T) { testBreak(t, syscall.SIGTERM, 26) } // a run that is stopped saves its state

func testBreak(t *testing.T, signal os.Signal, from int64) {
	config := testjob.Config(t, 100)
	want := testjob.Losses(t, config)
	config.SaveEverySteps = 10
	config.CheckpointAtEpoch, config.FullStateAtEpoch = ilt.Ptr(false), ilt.Ptr(false)

	folder := t.TempDir()
	first := start(t, folder)
	body, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(first.address+"/jobs", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var job jobs.Job
	if err := json.NewDecoder(response.Body).Decode(&job); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatal(response.Status, err)
	}
	first.follow(t, job.ID, func(u jobs.Update) bool { return u.Metrics.Step < 25 })
	if err := first.process.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := first.process.Wait(); (err == nil) != (signal == syscall.SIGTERM) {
		t.Errorf("the service ended with %v", err)
	}

	second := start(t, folder)
	got := map[int64]float64{}
	end := second.follow(t, job.ID, func(u jobs.Update) bool { got[u.Metrics.Step] = u.Metrics.Loss; return true })
	if end.State != jobs.Done || end.Restarts != 1 || end.Metrics.Step != int64(len(want)) {
		t.Errorf("%+v", end)
	}
	for i, loss := range want {
		if got[int64(i+1)] != loss {
			t.Errorf("step %d: loss %v, without a break %v", i+1, got[int64(i+1)], loss)
		}
	}
	if step := firstStepAfterRestart(t, filepath.Join(folder, job.ID, "out")); step < from {
		t.Errorf("the run went on at step %d, not %d", step, from)
	}
}

// firstStepAfterRestart looks for the second line of options in a metrics file, and gives the step after it.
func firstStepAfterRestart(t *testing.T, out string) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "training_params_and_metrics_global0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Step      int64
			ModelPath string `json:"model_path"`
		}
		if json.Unmarshal([]byte(line), &entry) != nil {
			continue
		}
		if entry.ModelPath != "" {
			runs++
		} else if runs == 2 {
			return entry.Step
		}
	}
	t.Fatal("there is no second run in the metrics file")
	return 0
}
