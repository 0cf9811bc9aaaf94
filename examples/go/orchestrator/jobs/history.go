package jobs

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"libilt.org/go/ilt"
)

// readHistory reads the updates of a run that this process has not seen from the metrics file that libilt writes.
func readHistory(outputDir string) ([]Update, error) {
	file, err := os.Open(filepath.Join(outputDir, "training_params_and_metrics_global0.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var updates []Update
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Epoch           int      `json:"epoch"`
			Step            int64    `json:"step"`
			StepTotal       int64    `json:"step_total"`
			SamplesSeen     int64    `json:"samples_seen"`
			TokensSeen      int64    `json:"tokens_seen"`
			Loss            *float64 `json:"loss"`
			GradNorm        *float64 `json:"gradnorm"`
			LR              float64  `json:"lr"`
			TokensPerSecond float64  `json:"tokens_per_second"`
			StepSeconds     float64  `json:"step_seconds"`
			ValLoss         *float64 `json:"val_loss"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Step == 0 {
			continue // the run's options; a line that a crash has cut off
		}
		m := ilt.Metrics{
			Epoch: line.Epoch, Step: line.Step, StepTotal: line.StepTotal, SamplesSeen: line.SamplesSeen,
			TokensSeen: line.TokensSeen, Loss: number(line.Loss), GradNorm: number(line.GradNorm), LR: line.LR,
			TokensPerSecond: line.TokensPerSecond, StepTime: time.Duration(line.StepSeconds * float64(time.Second)),
			EvalLoss: number(line.ValLoss),
		}
		kind := ilt.EventStepEnd
		if line.ValLoss != nil {
			kind = ilt.EventEvalEnd
		}
		// Steps that were done again after a crash are the same again: the first line is as good as the last.
		if kind == ilt.EventEvalEnd || len(updates) == 0 || m.Step > updates[len(updates)-1].Metrics.Step {
			updates = append(updates, Update{Type: kind.String(), Metrics: m})
		}
	}
	return updates, lines.Err()
}

func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
