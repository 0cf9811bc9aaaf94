package ilt

// #include "shim.h"
import "C"

import (
	"errors"
	"runtime/cgo"
)

// What a callback answers to the library.
const (
	goOn C.int32_t = 0
	stop C.int32_t = 1
	fail C.int32_t = -1
)

// An outcome keeps what a callback did besides answering, until the call that it belongs to is back in Go.
type outcome struct {
	err      error
	panicked any
	abandon  func()      // runs where the callback ended its goroutine: the call never returns
	ended    func() bool // whether the call is to stop: the token is cancelled on another goroutine, which may be late
}

// answer runs a callback and turns what it does into an answer for the library, through whose frames neither a panic
// nor the end of a goroutine may pass.
func (o *outcome) answer(callback func() error) (result C.int32_t) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if o.panicked = recover(); o.panicked == nil { // runtime.Goexit, which cannot be recovered from
			o.abandon()
		}
		result = fail
	}()
	err := callback()
	returned = true
	switch {
	case err == nil && !o.ended():
		return goOn
	case err == nil, errors.Is(err, Stop):
		return stop
	}
	o.err = err
	return fail
}

// resume goes on with a panic of the callback, or puts its error behind err, that of the call. It clears the outcome.
func (o *outcome) resume(err error) error {
	panicked, cause := o.panicked, o.err
	o.panicked, o.err = nil, nil
	if panicked != nil {
		panic(panicked)
	}
	if e, ok := err.(*Error); ok && e.Status == ErrCallback {
		e.cause = cause
	}
	return err
}

//export goIltDestroy
func goIltDestroy(user C.uintptr_t) { cgo.Handle(user).Delete() }
