package ilt_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"libilt.org/go/ilt"
)

// logTo collects the library's log for one test.
func logTo(t *testing.T, level slog.Level) func() string {
	t.Helper()
	var mu sync.Mutex
	var lines bytes.Buffer
	handler := slog.NewTextHandler(&lockedWriter{&mu, &lines}, &slog.HandlerOptions{Level: level})
	check(t, ilt.SetLogger(slog.New(handler)))
	t.Cleanup(func() { check(t, ilt.SetLogger(nil)) })
	return func() string { mu.Lock(); defer mu.Unlock(); return lines.String() }
}

type lockedWriter struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func TestLog(t *testing.T) {
	if ilt.LogEnabled(slog.LevelError) {
		t.Error("logging, and nobody asked")
	}
	lines := logTo(t, slog.LevelInfo)
	if !ilt.LogEnabled(slog.LevelInfo) || ilt.LogEnabled(slog.LevelDebug) {
		t.Error("the level is not that of the handler")
	}
	ilt.SetLogLevel(slog.LevelError + 1)
	if ilt.LogEnabled(slog.LevelError) {
		t.Error("the log is not off")
	}
	ilt.SetLogLevel(slog.LevelInfo)
	newSession(t, training())
	if got := lines(); !strings.Contains(got, "level=INFO") || !strings.Contains(got, "component=") {
		t.Errorf("%q", got)
	}
}

func TestCloseInsideACallback(t *testing.T) {
	s := newSession(t, training())
	s.OnEvent(func(e ilt.Event) error {
		if e.Type == ilt.EventStepEnd {
			return s.Close()
		}
		return nil
	})
	m, err := s.Train(t.Context())
	if m.Step != 1 || !errors.Is(err, ilt.ErrStopped) || !errors.Is(err, ilt.ErrClosed) {
		t.Errorf("step %d: %v", m.Step, err)
	}
	if _, err := s.Train(t.Context()); !errors.Is(err, ilt.ErrClosed) {
		t.Error(err)
	}
}

func TestCloseStopsARunOfAnotherGoroutine(t *testing.T) {
	c := training()
	c.NumEpochs = 1_000_000
	s := newSession(t, c)
	running, once := make(chan struct{}), sync.Once{}
	s.OnEvent(func(ilt.Event) error { once.Do(func() { close(running) }); return nil })
	done := make(chan error)
	go func() { _, err := s.Train(context.Background()); done <- err }()
	<-running
	check(t, s.Close())
	if err := <-done; !errors.Is(err, ilt.ErrClosed) {
		t.Error(err)
	}
}

// A session that nobody closes is freed all the same, and the log tells.
func TestGarbageCollection(t *testing.T) {
	lines := logTo(t, slog.LevelWarn)
	func() {
		s, err := ilt.NewSession(training())
		check(t, err)
		_, err = s.Step()
		check(t, err)
	}()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(lines(), "kind=session"); {
		if time.Now().After(deadline) {
			t.Fatal("the session is still there")
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}

// A callback that ends its goroutine leaves C frames that never return; what they use must not be freed or used again.
func TestGoexitInACallback(t *testing.T) {
	s := newSession(t, training())
	s.OnEvent(func(ilt.Event) error { runtime.Goexit(); return nil })
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Train(context.Background()) //nolint:errcheck // it never returns
	}()
	<-done
	if _, err := s.Train(t.Context()); !errors.Is(err, ilt.ErrClosed) {
		t.Error(err)
	}
	check(t, s.Close())
}

func TestManySessions(t *testing.T) {
	before, filesBefore := runtime.NumGoroutine(), 0
	for i := range 20 {
		s, err := ilt.NewSession(training())
		check(t, err)
		_, err = s.Step()
		check(t, err)
		check(t, s.Close())
		if i == 0 { // the first one may open what stays
			filesBefore = openFiles(t)
		}
	}
	if files := openFiles(t); files > filesBefore {
		t.Errorf("%d open files, %d before", files, filesBefore)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(files)
}

func TestTwoSessionsAtOnce(t *testing.T) {
	want := losses(t, newSession(t, training()))
	var group sync.WaitGroup
	for range 2 {
		group.Add(1)
		go func() {
			defer group.Done()
			s, err := ilt.NewSession(training())
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			i := 0
			for m, err := range s.Steps(context.Background()) {
				if err != nil || m.Loss != want[i] {
					t.Error(i, m.Loss, want[i], err)
				}
				i++
			}
		}()
	}
	group.Wait()
}

// Calls from many goroutines either do what they say or find the session busy; and it ends in one piece.
func TestManyGoroutines(t *testing.T) {
	s := newSession(t, training())
	calls := []func() error{
		func() error { _, err := s.Step(); return err },
		func() error { _, err := s.Score(prompt); return err },
		func() error {
			_, err := s.Generate(t.Context(), prompt, ilt.GenerateOptions{MaxNewTokens: 2})
			return err
		},
		func() error { _, err := s.Metrics(); return err },
		func() error { _, err := s.ModelInfo(); return err },
		func() error { _, err := s.Train(t.Context()); return err },
		func() error { s.RequestSave(); s.OnEvent(nil); return nil },
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := range 50 {
				err := calls[(i+j)%len(calls)]()
				if err != nil && !errors.Is(err, ilt.ErrBusy) && !errors.Is(err, io.EOF) {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	if m, err := s.Train(t.Context()); err != nil || m.Step != 8 {
		t.Error(m.Step, err)
	}
}
