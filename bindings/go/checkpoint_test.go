package ilt_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"libilt.org/go/ilt"
)

func TestResume(t *testing.T) {
	want := losses(t, newSession(t, training()))
	c := training()
	c.CkptOutputDir = t.TempDir()
	c.SaveEverySteps = 2
	var got []float64
	for _, until := range []int64{3, 8} { // the second session goes on from where the first one stopped
		s := newSession(t, c)
		for e, err := range s.Events(t.Context()) {
			check(t, err)
			if e.Type == ilt.EventStepEnd {
				got = append(got, e.Metrics.Loss)
				if e.Metrics.Step == until {
					break
				}
			}
		}
		check(t, s.Close())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}

	states, err := ilt.Checkpoints(c.CkptOutputDir)
	check(t, err)
	if len(states) != 2 || states[1].Step != 8 || states[1].Bytes == 0 {
		t.Fatalf("%+v", states)
	}
	newest := states[1].Path
	check(t, ilt.VerifyCheckpoint(newest))
	info, err := ilt.ReadCheckpointInfo(newest)
	check(t, err)
	var config ilt.Config
	check(t, json.Unmarshal(info.Config, &config))
	if info.Step != 8 || len(info.Files) < 2 || config.LearningRate != c.LearningRate {
		t.Errorf("%+v", info)
	}
	diff, err := ilt.DiffCheckpoints(states[0].Path, newest)
	check(t, err)
	if diff.Equal || len(diff.Tensors) == 0 || diff.Run["step"] != [2]any{float64(states[0].Step), 8.0} {
		t.Errorf("%+v", diff)
	}
	exported := filepath.Join(t.TempDir(), "model")
	check(t, ilt.ExportCheckpoint(newest, exported, ilt.ExportOptions{ModelPath: model}))
	newSession(t, ilt.Config{ModelPath: exported})

	weights := filepath.Join(newest, "weights.safetensors")
	data, err := os.ReadFile(weights)
	check(t, err)
	data[len(data)-1] ^= 1
	check(t, os.WriteFile(weights, data, 0o644))
	if err := ilt.VerifyCheckpoint(newest); !errors.Is(err, ilt.ErrFormat) {
		t.Error(err)
	}
}

func TestSave(t *testing.T) {
	s := newSession(t, training())
	_, err := s.Step()
	check(t, err)
	folder := t.TempDir()
	saved := filepath.Join(folder, "model")
	check(t, s.Save(saved, ilt.Weights))
	check(t, s.Save(filepath.Join(folder, "state"), ilt.FullState))
	exported := filepath.Join(folder, "exported")
	check(t, ilt.ExportModel(saved, exported, ilt.ModelExportOptions{Format: ilt.HuggingFace, Dtype: "float32"}))
	err = ilt.ExportModel(saved, exported+".gguf", ilt.ModelExportOptions{Format: ilt.GGUF, Dtype: "float32"})
	if !errors.Is(err, ilt.ErrUnsupported) { // its tokenizer is none of llama.cpp's
		t.Error(err)
	}

	want, err := s.Score(prompt)
	check(t, err)
	for _, path := range []string{saved, exported} {
		got, err := newSession(t, ilt.Config{ModelPath: path}).Score(prompt)
		check(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("%s scores %v, not %v", path, got, want)
		}
	}
	info, err := s.ModelInfo()
	check(t, err)
	if info.Architecture != "LlamaForCausalLM" || info.Parameters == 0 || info.Device != "cpu" {
		t.Errorf("%+v", info)
	}
	config, err := s.Config()
	check(t, err)
	if config.LearningRate != 1e-3 || config.NumEpochs != 4 || *config.Seed != 42 {
		t.Errorf("%+v", config)
	}
}

func TestLoad(t *testing.T) {
	s := newSession(t, training())
	for range 3 {
		_, err := s.Step()
		check(t, err)
	}
	state := filepath.Join(t.TempDir(), "state")
	check(t, s.Save(state, ilt.FullState))
	want := losses(t, s)
	check(t, s.Load(state))
	if got := losses(t, s); len(got) != 5 || !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if err := s.Load(state + "2"); !errors.Is(err, ilt.ErrNotFound) {
		t.Error(err)
	}
}

func TestRequestSave(t *testing.T) {
	c := training()
	c.CkptOutputDir = t.TempDir()
	s := newSession(t, c)
	s.RequestSave()
	for e, err := range s.Events(t.Context()) {
		check(t, err)
		if e.Type == ilt.EventCheckpoint {
			if e.Metrics.Step != 1 || e.Path == "" {
				t.Errorf("%+v", e)
			}
			return
		}
	}
	t.Error("nothing was saved")
}

func TestMetricsJSON(t *testing.T) {
	s := newSession(t, training())
	before, err := s.Metrics()
	check(t, err)
	document, err := json.Marshal(before)
	check(t, err)
	var back ilt.Metrics
	check(t, json.Unmarshal(document, &back))
	if back.Loss == back.Loss { // NaN
		t.Errorf("%s", document)
	}
	step, err := s.Step()
	check(t, err)
	document, err = json.Marshal(step)
	check(t, err)
	check(t, json.Unmarshal(document, &back))
	if back.Loss != step.Loss || back.Step != 1 || back.LR != step.LR {
		t.Errorf("%s", document)
	}
	line, err := s.MetricsJSON()
	check(t, err)
	var all map[string]any
	check(t, json.Unmarshal([]byte(line), &all))
	if all["avg_loss"] != step.Loss {
		t.Error(line)
	}
}
