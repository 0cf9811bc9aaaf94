// Command finetune fine-tunes a model on a file of chat records, shows each step, and saves the result.
//
//	finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"libilt.org/go/ilt"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := finetune(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		var failure *ilt.Error
		if errors.As(err, &failure) {
			err = fmt.Errorf("%s: %s", failure.Status.String(), failure.Message)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func finetune(ctx context.Context, model, data, out string, options []string) error {
	config := ilt.Config{
		ModelPath: model, DataPath: []string{data},
		EffectiveBatchSize: 16, MaxSeqLen: 2048, MaxBatchLen: 4096, LearningRate: 1e-5,
	}
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		if err := config.Set(key, value); err != nil {
			return err
		}
	}
	session, err := ilt.NewSession(config)
	if err != nil {
		return err
	}
	defer session.Close()

	for event, err := range session.Events(ctx) {
		if err != nil {
			return err
		}
		if m := event.Metrics; event.Type == ilt.EventStepEnd {
			fmt.Printf("step %d of %d: loss %.4f, gradient norm %.3f, %.0f tokens/s\n",
				m.Step, m.StepTotal, m.Loss, m.GradNorm, m.TokensPerSecond)
		}
	}
	return session.Save(out, ilt.Weights)
}
