package ilt_test

import (
	"context"
	"fmt"
	"log"

	"libilt.org/go/ilt"
)

// A loop of one's own brings its own samples and weights: here, tokens of the second half count twice.
func ExampleSession_ForwardBackward() {
	config := ilt.Config{ModelPath: model, MaxBatchLen: 256, MaxSteps: 3, LearningRate: 1e-3, NumThreads: 1}
	session, err := ilt.NewSession(config)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	batch, err := ilt.NewBatch()
	if err != nil {
		log.Fatal(err)
	}
	defer batch.Close()

	sample := ilt.Sample{IDs: []int32{20, 21, 22, 23}}
	for range config.MaxSteps {
		if err := batch.Clear(); err != nil {
			log.Fatal(err)
		}
		if err := batch.Add(sample, []float32{1, 1, 2, 2}); err != nil {
			log.Fatal(err)
		}
		if _, _, err := session.ForwardBackward(batch); err != nil {
			log.Fatal(err)
		}
		metrics, err := session.OptimizerStep(0) // by the mean over the weights
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("step %d: %d tokens\n", metrics.Step, metrics.TokensSeen)
	}
	// Output:
	// step 1: 4 tokens
	// step 2: 8 tokens
	// step 3: 12 tokens
}

// Evaluate measures the loss on data that nothing is learnt from.
func ExampleSession_Evaluate() {
	ctx := context.Background()
	session, err := ilt.NewSession(tiny())
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	held, err := ilt.NewDataset(ctx, ilt.Config{ModelPath: model, DataPath: []string{model + ".jsonl"}, MaxSeqLen: 128})
	if err != nil {
		log.Fatal(err)
	}
	defer held.Close()

	before, err := session.Evaluate(ctx, held)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := session.Train(ctx); err != nil {
		log.Fatal(err)
	}
	after, err := session.Evaluate(ctx, held)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(after.Loss < before.Loss)
	// Output: true
}

// Parameters have the names of the model's files.
func ExampleSession_Tensor() {
	session, err := ilt.NewSession(ilt.Config{ModelPath: model})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	tensor, err := session.Tensor("model.norm.weight")
	if err != nil {
		log.Fatal(err)
	}
	for i := range tensor.Data {
		tensor.Data[i] *= 0.5
	}
	if err := session.SetTensor("model.norm.weight", tensor); err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.Shape)
	// Output: [32]
}
