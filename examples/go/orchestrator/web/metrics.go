package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"libilt.org/go/examples/orchestrator/jobs"
	"libilt.org/go/ilt"
)

// gauges are what is told of each running job.
var gauges = []struct {
	name, help string
	value      func(ilt.Metrics) float64
}{
	{"step", "Optimizer steps done.", func(m ilt.Metrics) float64 { return float64(m.Step) }},
	{"step_total", "Optimizer steps of the whole run.", func(m ilt.Metrics) float64 { return float64(m.StepTotal) }},
	{"tokens_seen", "Tokens trained on.", func(m ilt.Metrics) float64 { return float64(m.TokensSeen) }},
	{"loss", "Mean loss of the last step, in nats.", func(m ilt.Metrics) float64 { return m.Loss }},
	{"eval_loss", "Mean loss of the last validation, in nats.", func(m ilt.Metrics) float64 { return m.EvalLoss }},
	{"gradient_norm", "Gradient norm of the last step, before clipping.", func(m ilt.Metrics) float64 { return m.GradNorm }},
	{"learning_rate", "Learning rate of the last step.", func(m ilt.Metrics) float64 { return m.LR }},
	{"tokens_per_second", "Speed of the last step.", func(m ilt.Metrics) float64 { return m.TokensPerSecond }},
	{"step_seconds", "Time of the last step.", func(m ilt.Metrics) float64 { return m.StepTime.Seconds() }},
}

// metrics writes Prometheus' text format.
func (s *server) metrics(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	all := s.queue.Jobs()
	count := map[jobs.State]int{}
	for _, job := range all {
		count[job.State]++
	}
	head(&out, "ilt_jobs", "Jobs by state.")
	for _, state := range jobs.States {
		fmt.Fprintf(&out, "ilt_jobs{state=%q} %d\n", state, count[state])
	}
	for _, gauge := range gauges {
		name := "ilt_job_" + gauge.name
		head(&out, name, gauge.help)
		for _, job := range all {
			if job.State == jobs.Running && job.Metrics != nil {
				value := strconv.FormatFloat(gauge.value(*job.Metrics), 'g', -1, 64) // NaN is a value there, too
				fmt.Fprintf(&out, "%s{job=%q} %s\n", name, job.ID, value)
			}
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(out.Bytes())
}

func head(out *bytes.Buffer, name, help string) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}
