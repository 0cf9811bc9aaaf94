package ilt_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"

	"libilt.org/go/ilt"
)

// tiny is a run of eight steps on the tests' model; the examples set what they are about.
func tiny() ilt.Config { return training() }

// A whole run: the options, training until the end or Ctrl-C, and the model for others to load.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	session, err := ilt.NewSession(ilt.Config{
		ModelPath:          model,
		DataPath:           []string{model + ".jsonl"},
		EffectiveBatchSize: 2,
		MaxSeqLen:          128,
		MaxBatchLen:        256,
		NumEpochs:          4,
		LearningRate:       1e-3,
		NumThreads:         1,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	metrics, err := session.Train(ctx)
	if errors.Is(err, ilt.ErrStopped) {
		fmt.Println("stopped; it can go on later")
	} else if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := session.Save(filepath.Join(folder, "model"), ilt.Weights); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d steps, %d samples\n", metrics.Step, metrics.SamplesSeen)
	// Output: 8 steps, 16 samples
}

// Events gives what happens in a run; leaving the loop stops it.
func ExampleSession_Events() {
	session, err := ilt.NewSession(tiny())
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	for event, err := range session.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case ilt.EventStepEnd:
			fmt.Printf("step %d of %d\n", event.Metrics.Step, event.Metrics.StepTotal)
		case ilt.EventEpochEnd:
			fmt.Println("that will do")
			return
		}
	}
	// Output:
	// step 1 of 8
	// step 2 of 8
	// that will do
}

// Steps leaves checkpoints and metrics to the caller.
func ExampleSession_Steps() {
	session, err := ilt.NewSession(tiny())
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	for metrics, err := range session.Steps(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if metrics.Step%4 == 0 {
			fmt.Printf("step %d, learning rate %.1e\n", metrics.Step, metrics.LR)
		}
	}
	// Output:
	// step 4, learning rate 6.9e-04
	// step 8, learning rate 3.8e-05
}

// An error says what is wrong, and its details are for the program.
func ExampleError() {
	var config ilt.Config
	err := config.Set("learning_rat", "1e-5")

	var failure *ilt.Error
	if errors.Is(err, ilt.ErrConfig) && errors.As(err, &failure) {
		fmt.Println("did you mean", failure.Detail["nearest"])
	}
	// Output: did you mean learning_rate
}

// Options whose zero value has a meaning of its own are pointers.
func ExampleConfig() {
	config := ilt.Config{
		ModelPath:   "granite-2b",
		LRScheduler: ilt.LRSchedulerLinear,
		Shuffle:     ilt.Ptr(false),
		Seed:        ilt.Ptr(0),
	}
	full, err := config.WithDefaults()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*full.Shuffle, *full.Seed, *full.KeepLast, full.Optimizer)
	// Output: false 0 2 adamw
}

// Records need not be in files.
func ExampleDataset_Add() {
	data, err := ilt.NewDataset(context.Background(), ilt.Config{ModelPath: model, MaxSeqLen: 128})
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()

	for _, record := range []any{
		ilt.Chat{Messages: []ilt.Message{{Role: "user", Content: "Hello?"}, {Role: "assistant", Content: "Hi."}}},
		map[string]string{"prompt": "Two and two?", "completion": "Four."},
	} {
		if _, err := data.Add(record); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(data.Len(), "samples")
	// Output: 2 samples
}

// A prompt is rendered by the model's chat template, and the answer comes token by token.
func ExampleSession_Tokens() {
	session, err := ilt.NewSession(ilt.Config{ModelPath: model})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	tokenizer, err := ilt.LoadTokenizer(model)
	if err != nil {
		log.Fatal(err)
	}
	defer tokenizer.Close()

	text, err := tokenizer.RenderChat([]ilt.Message{{Role: "user", Content: "Say hello."}}, true)
	if err != nil {
		log.Fatal(err)
	}
	prompt, err := tokenizer.Encode(text, false)
	if err != nil {
		log.Fatal(err)
	}
	count := 0
	for id, err := range session.Tokens(context.Background(), prompt, ilt.GenerateOptions{MaxNewTokens: 5}) {
		if err != nil {
			log.Fatal(err)
		}
		_ = id // show it
		count++
	}
	fmt.Println(count > 0)
	// Output: true
}

// The library's log goes to a slog.Logger.
func ExampleSetLogger() {
	handler := slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
	if err := ilt.SetLogger(slog.New(handler)); err != nil {
		log.Fatal(err)
	}
	defer ilt.SetLogger(nil)
	fmt.Println(ilt.LogEnabled(slog.LevelInfo), ilt.LogEnabled(slog.LevelError))
	// Output: false true
}
