package ilt

// #include "shim.h"
import "C"

import "encoding/json"

// A CheckpointKind is what a checkpoint holds.
type CheckpointKind int32

// The kinds of checkpoints.
const (
	// Weights is a folder that transformers loads: config, weights, tokenizer files.
	Weights CheckpointKind = C.ILT_CKPT_WEIGHTS
	// FullState is a folder that Config.Resume takes: weights, optimizer, place in the data.
	FullState CheckpointKind = C.ILT_CKPT_FULL_STATE
)

// Save writes the model, or the full state of the run, to a folder, which appears complete or not at all. It replaces a
// folder of that name that is empty or of the same kind, never another.
func (s *Session) Save(path string, kind CheckpointKind) error {
	folder := cString(path)
	defer freeString(folder)
	return s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_checkpoint_save(p, folder, C.ilt_checkpoint_kind(kind), err)
	})
}

// Load goes back, or on, to a full state: weights, optimizer, place in the data. What follows is bit for bit what
// followed it then, on the CPU.
func (s *Session) Load(path string) error {
	folder := cString(path)
	defer freeString(folder)
	return s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status { return C.ilt_checkpoint_load(p, folder, err) })
}

// A Checkpoint is one full state of a run.
type Checkpoint struct {
	Step  int64  `json:"step"`
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`           // of a complete one
	Fault string `json:"fault,omitempty"` // why it is not complete
}

// Checkpoints lists the full states under a run's CkptOutputDir, oldest first. It reads no tensors:
// [VerifyCheckpoint] does.
func Checkpoints(outputDir string) ([]Checkpoint, error) {
	folder := cString(outputDir)
	defer freeString(folder)
	return callJSON[[]Checkpoint](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_checkpoint_list_json(folder, out, length, err)
	})
}

// VerifyCheckpoint reads every file of a full state and compares size and checksum.
func VerifyCheckpoint(path string) error {
	folder := cString(path)
	defer freeString(folder)
	return call(func(err **C.ilt_error) C.ilt_status { return C.ilt_checkpoint_verify(folder, err) })
}

// A CheckpointInfo is what a full state says of its run.
type CheckpointInfo struct {
	Step           int64                     `json:"step"`
	Epoch          int                       `json:"epoch"`
	SamplesSeen    int64                     `json:"samples_seen"`
	TokensSeen     int64                     `json:"tokens_seen"`
	OptimizerSteps int64                     `json:"optimizer_steps"`
	SkippedSteps   int64                     `json:"skipped_steps"`
	ModelPath      string                    `json:"model_path"`
	Data           string                    `json:"data"`   // fingerprint of the training data
	Config         json.RawMessage           `json:"config"` // the options, perhaps of another version
	Files          map[string]CheckpointFile `json:"files"`
}

// A CheckpointFile is one file of a full state.
type CheckpointFile struct {
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"xxh3"`
}

// ReadCheckpointInfo reads what a full state says of its run.
func ReadCheckpointInfo(path string) (CheckpointInfo, error) {
	folder := cString(path)
	defer freeString(folder)
	return callJSON[CheckpointInfo](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_checkpoint_info_json(folder, out, length, err)
	})
}

// ExportOptions say how a full state becomes a model. The zero value takes the model's folder from where the run found
// it, and its type.
type ExportOptions struct {
	ModelPath string    `json:"model_path,omitempty"` // the model that was trained, for its configuration and tokenizer
	SaveDtype SaveDtype `json:"save_dtype,omitempty"`
}

// ExportCheckpoint writes the weights of a full state as a folder that transformers loads, which appears complete or
// not at all.
func ExportCheckpoint(statePath, outPath string, options ExportOptions) error {
	return export(statePath, outPath, options, func(from, to, options *C.char, err **C.ilt_error) C.ilt_status {
		return C.ilt_checkpoint_export(from, to, options, err)
	})
}

// export runs what writes one path's model to another by options, which are any value that encodes to their JSON.
func export(fromPath, toPath string, options any,
	run func(from, to, options *C.char, err **C.ilt_error) C.ilt_status) error {
	from, to := cString(fromPath), cString(toPath)
	defer freeString(from)
	defer freeString(to)
	document, err := optionsJSON(options)
	if err != nil {
		return err
	}
	defer freeString(document)
	return call(func(err **C.ilt_error) C.ilt_status { return run(from, to, document, err) })
}

// A CheckpointDiff is how two full states differ.
type CheckpointDiff struct {
	Equal       bool              `json:"equal"`
	Run         map[string][2]any `json:"run"`     // counters
	Options     map[string][2]any `json:"options"` // of the configurations
	Tensors     []TensorDiff      `json:"tensors"` // those that differ
	SameTensors int64             `json:"same_tensors"`
}

// A TensorDiff is how one tensor differs between two full states.
type TensorDiff struct {
	File     string  `json:"file"`
	Name     string  `json:"name"`
	MaxAbs   float64 `json:"max_abs"`  // the largest difference
	Relative float64 `json:"relative"` // the norm of the difference over that of the first
}

// DiffCheckpoints tells how two full states differ.
func DiffCheckpoints(a, b string) (CheckpointDiff, error) {
	first, second := cString(a), cString(b)
	defer freeString(first)
	defer freeString(second)
	return callJSON[CheckpointDiff](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_checkpoint_diff_json(first, second, out, length, err)
	})
}

// ModelFormat is a format that [ExportModel] writes.
type ModelFormat string

// The formats of models.
const (
	GGUF        ModelFormat = "gguf" // a file for llama.cpp
	HuggingFace ModelFormat = "hf"   // a folder that transformers loads
)

// ModelExportOptions say how a model is written in another format.
type ModelExportOptions struct {
	Format ModelFormat `json:"format"`
	Dtype  string      `json:"dtype,omitempty"` // float32, bfloat16, float16, q8_0 in GGUF; "": that of the weights
}

// ExportModel writes a model, a Hugging Face folder or a GGUF file, in another format. outPath appears complete or not
// at all.
func ExportModel(modelPath, outPath string, options ModelExportOptions) error {
	return export(modelPath, outPath, options, func(from, to, options *C.char, err **C.ilt_error) C.ilt_status {
		return C.ilt_model_export(from, to, options, err)
	})
}
