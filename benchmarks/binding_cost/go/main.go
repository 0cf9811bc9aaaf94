// Command binding_cost measures what small calls and steps cost in Go: the cases of ../binding_cost.c, which says how.
package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"libilt.org/go/ilt"
)

const (
	batches = 200
	calls   = 200
	steps   = 1000
)

func measure(name string, batches, calls int, call func()) {
	least := math.Inf(1)
	for range batches {
		begin := time.Now()
		for range calls {
			call()
		}
		least = min(least, float64(time.Since(begin).Nanoseconds())/float64(calls))
	}
	fmt.Printf("%s %.1f\n", name, least)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	model := os.Args[1]
	session := must(ilt.NewSession(ilt.Config{
		ModelPath: model, DataPath: []string{model + ".jsonl"},
		EffectiveBatchSize: 4, MaxSeqLen: 128, MaxBatchLen: 256,
		LearningRate: 1e-5, MaxSteps: 1_000_000, NumThreads: 1,
	}))
	defer session.Close()
	tokenizer := must(ilt.LoadTokenizer(model))
	defer tokenizer.Close()

	measure("version", batches, calls, func() { ilt.VersionNumber() })
	measure("metrics", batches, calls, func() { must(session.Metrics()) })
	measure("encode", batches, calls, func() { must(tokenizer.Encode("Hello", false)) })
	measure("decode", batches, calls, func() { must(tokenizer.Decode([]int32{40, 41, 42}, false)) })
	measure("failing", batches, calls, func() {
		if _, err := tokenizer.Decode([]int32{-1}, false); err == nil {
			panic("it fails in C")
		}
	})
	measure("step", steps, 1, func() { must(session.Step()) })
}
