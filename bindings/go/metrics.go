package ilt

// #include "shim.h"
import "C"

import (
	"encoding/json"
	"math"
	"time"
)

// Metrics are what is known after an optimizer step. Numbers that are not known are NaN, and null in JSON.
type Metrics struct {
	Epoch           int   // of the step's first sample, from 0
	Step            int64 // optimizer steps done
	StepTotal       int64 // of the whole run; 0 if unknown
	SamplesSeen     int64
	TokensSeen      int64
	Loss            float64 // mean over the loss-bearing tokens of the step, in nats
	GradNorm        float64 // global L2 norm before clipping
	LR              float64 // the learning rate that was used in the step
	TokensPerSecond float64 // of the step
	StepTime        time.Duration
	HostMemoryPeak  int64   // bytes
	EvalLoss        float64 // of the last validation, as Loss
}

func emptyMetrics() C.ilt_metrics { return C.ilt_metrics{struct_size: C.sizeof_ilt_metrics} }

func newMetrics(m *C.ilt_metrics) Metrics {
	seconds := float64(m.step_seconds)
	if math.IsNaN(seconds) {
		seconds = 0
	}
	return Metrics{
		Epoch:           int(m.epoch),
		Step:            int64(m.step),
		StepTotal:       int64(m.step_total),
		SamplesSeen:     int64(m.samples_seen),
		TokensSeen:      int64(m.tokens_seen),
		Loss:            float64(m.loss),
		GradNorm:        float64(m.grad_norm),
		LR:              float64(m.lr),
		TokensPerSecond: float64(m.tokens_per_second),
		StepTime:        time.Duration(seconds * float64(time.Second)),
		HostMemoryPeak:  int64(m.mem_host_bytes_peak),
		EvalLoss:        float64(m.eval_loss),
	}
}

// jsonMetrics has the names that the members have in ilt.h, and null for NaN.
type jsonMetrics struct {
	Epoch           int      `json:"epoch"`
	Step            int64    `json:"step"`
	StepTotal       int64    `json:"step_total"`
	SamplesSeen     int64    `json:"samples_seen"`
	TokensSeen      int64    `json:"tokens_seen"`
	Loss            *float64 `json:"loss"`
	GradNorm        *float64 `json:"grad_norm"`
	LR              *float64 `json:"lr"`
	TokensPerSecond *float64 `json:"tokens_per_second"`
	StepSeconds     float64  `json:"step_seconds"`
	HostMemoryPeak  int64    `json:"mem_host_bytes_peak"`
	EvalLoss        *float64 `json:"eval_loss"`
}

// MarshalJSON gives the metrics with the names that ilt.h has.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonMetrics{
		Epoch: m.Epoch, Step: m.Step, StepTotal: m.StepTotal, SamplesSeen: m.SamplesSeen, TokensSeen: m.TokensSeen,
		Loss: known(m.Loss), GradNorm: known(m.GradNorm), LR: known(m.LR), TokensPerSecond: known(m.TokensPerSecond),
		StepSeconds: m.StepTime.Seconds(), HostMemoryPeak: m.HostMemoryPeak, EvalLoss: known(m.EvalLoss),
	})
}

// UnmarshalJSON takes what MarshalJSON gives.
func (m *Metrics) UnmarshalJSON(document []byte) error {
	var j jsonMetrics
	if err := json.Unmarshal(document, &j); err != nil {
		return err
	}
	*m = Metrics{
		Epoch: j.Epoch, Step: j.Step, StepTotal: j.StepTotal, SamplesSeen: j.SamplesSeen, TokensSeen: j.TokensSeen,
		Loss: orNaN(j.Loss), GradNorm: orNaN(j.GradNorm), LR: orNaN(j.LR), TokensPerSecond: orNaN(j.TokensPerSecond),
		StepTime: time.Duration(j.StepSeconds * float64(time.Second)), HostMemoryPeak: j.HostMemoryPeak,
		EvalLoss: orNaN(j.EvalLoss),
	}
	return nil
}

// known is nil for what JSON has no number for.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// Metrics gives those of the last step that is done. It may be called while another goroutine trains.
func (s *Session) Metrics() (Metrics, error) {
	p, err := s.h.use()
	if err != nil {
		return Metrics{}, err
	}
	defer s.h.done()
	m := emptyMetrics()
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_metrics_get(p, &m, err) }); err != nil {
		return Metrics{}, err
	}
	return newMetrics(&m), nil
}

// MetricsJSON gives the metrics of the last step as a line of the metrics file, with more numbers than [Metrics] has.
// It may be called while another goroutine trains.
func (s *Session) MetricsJSON() (string, error) {
	p, err := s.h.use()
	if err != nil {
		return "", err
	}
	defer s.h.done()
	return callString(func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_metrics_json(p, out, length, err)
	})
}
