package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"libilt.org/go/ilt"
)

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	s, now := store{folder}, time.Now().UTC()
	for i, state := range []State{Done, Running, Queued} {
		job := Job{ID: string(state), State: state, Created: now.Add(time.Duration(i) * time.Second)}
		job.Config = ilt.Config{ModelPath: "m", LearningRate: 1e-5}
		if err := s.save(job); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "unborn"), 0o755); err != nil {
		t.Fatal(err)
	}

	queue, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := queue.Jobs()
	if len(all) != 3 || all[1].ID != "running" || all[1].State != Queued || all[1].Restarts != 1 {
		t.Errorf("%+v", all)
	}
	if all[0].Config.LearningRate != 1e-5 {
		t.Errorf("%+v", all[0].Config)
	}
	if _, feed, err := queue.Job("done"); err != nil {
		t.Error(err)
	} else if _, ended, _ := feed.After(0); !ended {
		t.Error("a job that is done has an open feed")
	}

	broken := s.jobFile("done")
	if err := os.WriteFile(broken, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), broken) {
		t.Error(err)
	}
}

func TestSubmitChecksOptions(t *testing.T) {
	queue, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Submit(ilt.Config{ModelPath: "m", DataPath: []string{"d"}}); err == nil {
		t.Error("a job without a batch size is queued")
	}
	good := ilt.Config{
		ModelPath: "m", DataPath: []string{"d"}, EffectiveBatchSize: 1, MaxBatchLen: 8, MaxSeqLen: 8, LearningRate: 1,
	}
	job, err := queue.Submit(good)
	if err != nil {
		t.Fatal(err)
	}
	if job.Config.SaveEveryMinutes == 0 || job.Config.CkptOutputDir == "" || job.State != Queued {
		t.Errorf("%+v", job)
	}
	again, err := Open(queue.store.folder)
	if err != nil || len(again.Jobs()) != 1 {
		t.Error(again.Jobs(), err)
	}
}
