package ilt

// #include "shim.h"
import "C"

import (
	"encoding/json"
	"io"
	"syscall"
)

// An Error is a failure inside libilt.
type Error struct {
	Status  Status         // the kind; errors.Is(err, ilt.ErrConfig) asks for it
	Message string         // one line: what went wrong with what, and what to do
	Detail  map[string]any // the facts: those that apply of key, got, expected, nearest, file, line, column, errno, ...

	cause error // what a callback returned
}

// Error is the message.
func (e *Error) Error() string {
	if e.cause != nil {
		return "ilt: " + e.Message + ": " + e.cause.Error()
	}
	return "ilt: " + e.Message
}

// Unwrap gives the status, and the error of the system or of the callback that is behind the failure.
func (e *Error) Unwrap() []error {
	tree := []error{e.Status}
	if number, ok := e.Detail["errno"].(float64); ok && number > 0 {
		tree = append(tree, syscall.Errno(number))
	}
	if e.cause != nil {
		tree = append(tree, e.cause)
	}
	return tree
}

// newError makes a Go error of what a function returned, and frees cerr. A run that is done is io.EOF.
func newError(status C.ilt_status, cerr *C.ilt_error) error {
	switch {
	case status == C.ILT_OK:
		return nil
	case status == C.ILT_DONE:
		return io.EOF
	case status > 0:
		return Status(status)
	}
	defer C.ilt_error_free(cerr)
	e := &Error{Status: Status(status), Message: C.GoString(C.ilt_error_message(cerr))}
	if cerr == nil { // the error object itself could not be had
		e.Message = e.Status.String()
		return e
	}
	e.Status = Status(C.ilt_error_status(cerr))
	if json.Unmarshal([]byte(C.GoString(C.ilt_error_detail_json(cerr))), &e.Detail) != nil {
		e.Detail = nil // the message says it, too
	}
	return e
}
