package ilt_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"libilt.org/go/ilt"
	"libilt.org/go/ilt/internal/optiongen"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := optiongen.Generate([]byte(ilt.ConfigSchema()))
	check(t, err)
	for name, want := range files {
		have, err := os.ReadFile(name)
		check(t, err)
		if string(have) != string(want) {
			t.Errorf("%s is not what the schema gives: run go generate", name)
		}
	}
}

func TestConfigHasAFieldForEachOption(t *testing.T) {
	full, err := ilt.Config{ModelPath: model}.WithDefaults()
	check(t, err)
	if full.NumEpochs != 1 || full.Shuffle == nil || !*full.Shuffle || *full.Seed != 42 || full.Optimizer != ilt.OptimizerAdamw {
		t.Errorf("defaults: %+v", full)
	}
	c := ilt.Config{ModelPath: model}
	fields := reflect.TypeOf(c).NumField()
	var schema struct{ Properties map[string]any }
	check(t, json.Unmarshal([]byte(ilt.ConfigSchema()), &schema))
	if fields != len(schema.Properties) {
		t.Errorf("%d fields for %d options", fields, len(schema.Properties))
	}
}

func TestZeroValuesStandForDefaults(t *testing.T) {
	for option, want := range map[string]string{"shuffle": "false", "keep_last": "0", "seed": "42", "overlong": "drop"} {
		got, err := ilt.Config{Shuffle: ilt.Ptr(false), KeepLast: ilt.Ptr(0)}.Get(option)
		check(t, err)
		if got != want {
			t.Errorf("%s is %q, not %q", option, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	c := ilt.Config{ModelPath: "m", DataPath: []string{"a", "b"}}
	for _, option := range [][2]string{
		{"lr", "2e-5"}, {"shuffle", "false"}, {"freeze", "*embed*"}, {"lr_scheduler", "linear"}, {"betas", "[0.8,0.9]"},
	} {
		check(t, c.Set(option[0], option[1]))
	}
	want := ilt.Config{
		ModelPath: "m", DataPath: []string{"a", "b"}, LearningRate: 2e-5, Shuffle: ilt.Ptr(false), Freeze: []string{"*embed*"},
		LRScheduler: ilt.LRSchedulerLinear, Beta1: ilt.Ptr(0.8), Beta2: ilt.Ptr(0.9),
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if err := c.Set("learning_rate", "fast"); !errors.Is(err, ilt.ErrConfig) || !reflect.DeepEqual(c, want) {
		t.Errorf("%v; %+v", err, c)
	}
}

func TestConfigJSON(t *testing.T) {
	var c ilt.Config
	check(t, json.Unmarshal([]byte(`{"model_name_or_path": "m", "data_path": "d.jsonl", "warmup_steps": 0, "seed": 0}`), &c))
	document, err := json.Marshal(c)
	check(t, err)
	if want := `{"model_path":"m","data_path":["d.jsonl"],"seed":0}`; string(document) != want {
		t.Errorf("got %s, want %s", document, want)
	}

	err = json.Unmarshal([]byte(`{"learning_rat": 1}`), &c)
	var e *ilt.Error
	if !errors.As(err, &e) || !errors.Is(err, ilt.ErrConfig) || e.Detail["nearest"] != "learning_rate" {
		t.Errorf("%#v", err)
	}
	if c.ModelPath != "m" {
		t.Error("a failed decoding has changed the configuration")
	}
}

func TestValidate(t *testing.T) {
	check(t, training().Validate())
	if err := (ilt.Config{}).Validate(); !errors.Is(err, ilt.ErrConfig) {
		t.Error(err)
	}
	if _, err := (ilt.Config{}).Get("nonsense"); !errors.Is(err, ilt.ErrConfig) {
		t.Error(err)
	}
}
