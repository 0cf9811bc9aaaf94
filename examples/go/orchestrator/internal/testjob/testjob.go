// Package testjob has a tiny job for tests.
package testjob

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"libilt.org/go/ilt"
)

// Config is a run of so many steps on a tiny model, which `make test-go` makes, or ILT_TEST_MODEL names.
func Config(t testing.TB, steps int) ilt.Config {
	t.Helper()
	model := os.Getenv("ILT_TEST_MODEL")
	if model == "" {
		_, here, _, _ := runtime.Caller(0)
		model = filepath.Join(filepath.Dir(here), "../../../../../build/tests/capi/model")
	}
	if _, err := os.Stat(filepath.Join(model, "config.json")); err != nil {
		t.Fatal("the tests need a tiny model, which `make test-go` makes; or name one in ILT_TEST_MODEL: ", err)
	}
	return ilt.Config{
		ModelPath: model, DataPath: []string{model + ".jsonl"}, EffectiveBatchSize: 2, MaxBatchLen: 256, MaxSeqLen: 128,
		MaxSteps: steps, LearningRate: 1e-3, NumThreads: 1,
	}
}

// Losses are those of the steps of an undisturbed run.
func Losses(t testing.TB, config ilt.Config) []float64 {
	t.Helper()
	session, err := ilt.NewSession(config)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var losses []float64
	for m, err := range session.Steps(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, m.Loss)
	}
	return losses
}
