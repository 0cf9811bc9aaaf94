package ilt_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"libilt.org/go/ilt"
)

func TestErrorKinds(t *testing.T) {
	_, err := ilt.NewSession(ilt.Config{ModelPath: "no/such/folder"})
	if !errors.Is(err, ilt.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ilt.ErrConfig) {
		t.Errorf("%#v", err)
	}
	var status ilt.Status
	if !errors.As(err, &status) || status != ilt.ErrNotFound || status.String() != "ILT_ERR_NOT_FOUND" {
		t.Errorf("%v of %v", status, err)
	}
	for status, want := range map[ilt.Status]bool{ilt.ErrHostOutOfMemory: true, ilt.ErrDeviceOutOfMemory: true, ilt.ErrIO: false} {
		if errors.Is(&ilt.Error{Status: status}, ilt.ErrOutOfMemory) != want {
			t.Errorf("%v is out of memory: not %v", status, want)
		}
	}
}

func TestErrorOfTheSystem(t *testing.T) {
	s := newSession(t, ilt.Config{ModelPath: model})
	err := s.Save(filepath.Join("/dev/null", "model"), ilt.Weights)
	if !errors.Is(err, ilt.ErrIO) || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%#v", err)
	}
}

func TestClosed(t *testing.T) {
	s := newSession(t, ilt.Config{ModelPath: model})
	check(t, s.Close())
	check(t, s.Close())
	s.RequestSave()
	if _, err := s.Metrics(); !errors.Is(err, ilt.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.Score([]int32{1, 2}); !errors.Is(err, ilt.ErrClosed) {
		t.Error(err)
	}
}
