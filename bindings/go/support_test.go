package ilt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"libilt.org/go/ilt"
)

// model is a tiny model with a tokenizer; model + ".jsonl" has four chats.
var model = func() string {
	if path := os.Getenv("ILT_TEST_MODEL"); path != "" {
		return path
	}
	return filepath.Join("..", "..", "build", "tests", "capi", "model")
}()

func TestMain(m *testing.M) {
	if _, err := os.Stat(filepath.Join(model, "config.json")); err != nil {
		fmt.Fprintln(os.Stderr, "the tests need a tiny model, which `make test-go` makes; or name one in ILT_TEST_MODEL:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// training is a configuration of eight steps that writes nothing.
func training() ilt.Config {
	return ilt.Config{
		ModelPath: model, DataPath: []string{model + ".jsonl"},
		EffectiveBatchSize: 2, MaxBatchLen: 256, MaxSeqLen: 128, NumEpochs: 4, LearningRate: 1e-3, NumThreads: 1,
	}
}

func newSession(t testing.TB, c ilt.Config) *ilt.Session {
	t.Helper()
	s, err := ilt.NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
