// Package ilt fine-tunes Hugging Face decoder models from Go, through libilt.
//
// A run in three calls (errors left out):
//
//	session, err := ilt.NewSession(ilt.Config{
//		ModelPath:          "granite-2b",
//		DataPath:           []string{"chats.jsonl"},
//		CkptOutputDir:      "out",
//		EffectiveBatchSize: 16,
//		MaxSeqLen:          2048,
//		MaxBatchLen:        8192,
//		LearningRate:       1e-5,
//	})
//	defer session.Close()
//	metrics, err := session.Train(ctx)
//
// There are three levels of control. [Session.Train] and [Session.Events] make the whole run, with the checkpoints and
// the metrics file that the configuration asks for. [Session.Steps] makes one optimizer step after another on the
// session's data and leaves the rest to the caller. The caller's own loop fills a [Batch], and calls
// [Session.ForwardBackward] and [Session.OptimizerStep].
//
// # Errors
//
// A call that fails in the library returns an [*Error], which says what is wrong with what, and what to do. The kind of
// an error is a [Status] to be asked for with [errors.Is], like [ErrConfig] or [ErrBusy]; [ErrOutOfMemory] stands for
// the host's and the device's. Where the system failed, its error is in the tree as well: errors.Is(err,
// fs.ErrNotExist), errors.Is(err, syscall.ENOSPC).
//
// # Cancellation
//
// Functions that may take long take a [context.Context]. When it ends they stop at the next point where all is
// consistent, and return an error that is both [ErrStopped] and the context's. A stopped session can go on, be saved or
// asked.
//
// # Goroutines
//
// A [Session], a [Dataset] or a [Config] serves one call at a time, from any goroutine; a second call at the same time
// returns [ErrBusy]. [Session.Metrics], [Session.MetricsJSON], [Session.Parameters], [Session.SetLR],
// [Session.RequestSave] and Close may overlap with other calls. A [Tokenizer] may be shared freely.
//
// # Callbacks
//
// Callbacks run on the goroutine of the call that they belong to. An error that they return ends that call and is in
// the tree of the error that it returns; [Stop] ends it without one. A panic is carried through the library and goes on
// in the caller. A callback must not end its goroutine with [runtime.Goexit] (as t.FailNow does in tests): the call
// could not be finished, and its handle is then of no more use.
//
// # Building
//
// The package is linked by cgo against an installed libilt that pkg-config finds as "ilt".
package ilt
