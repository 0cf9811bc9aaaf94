package jobs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A metrics file of a run that was killed after step 3, went on from step 1, and was killed within a line.
const metricsFile = `{"model_path": "m", "learning_rate": 1e-05}
{"step": 1, "loss": 3.5, "lr": 1e-05, "gradnorm": 2.0}
{"step": 2, "loss": 3.25, "lr": 1e-05, "gradnorm": null}
{"step": 2, "val_loss": 3.0}
{"step": 3, "loss": 3.125, "lr": 1e-05, "gradnorm": 2.0}
{"model_path": "m", "learning_rate": 1e-05}
{"step": 2, "loss": 3.25, "lr": 1e-05, "gradnorm": null}
{"step": 3, "loss": 3.125, "lr": 1e-05, "gradnorm": 2.0}
{"step": 4, "loss": 2.75, "lr": 1e-05, "gradnorm": 2.0}
{"step": 5, "loss": 2.`

func TestReadHistory(t *testing.T) {
	folder := t.TempDir()
	if updates, err := readHistory(folder); err != nil || updates != nil {
		t.Errorf("a run that has not begun: %v, %v", updates, err)
	}
	path := filepath.Join(folder, "training_params_and_metrics_global0.jsonl")
	if err := os.WriteFile(path, []byte(metricsFile), 0o644); err != nil {
		t.Fatal(err)
	}
	updates, err := readHistory(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range updates {
		got = append(got, fmt.Sprint(u.Type, u.Metrics.Step, u.Metrics.Loss, u.Metrics.EvalLoss))
	}
	want := []string{
		"step_end1 3.5 NaN", "step_end2 3.25 NaN", "eval_end2 NaN 3", "step_end3 3.125 NaN", "step_end4 2.75 NaN",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
