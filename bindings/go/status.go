package ilt

// #include "shim.h"
import "C"

import (
	"errors"
	"io/fs"
)

// A Status is the kind of an error, for [errors.Is]. New kinds may come with new versions of the library.
type Status int32

// The kinds of errors.
const (
	// ErrStopped is returned by what was stopped on request, in a consistent state: by a context, by a callback that
	// returned [Stop], by Config.MaxMinutes.
	ErrStopped Status = C.ILT_STOPPED

	ErrInvalidArgument   Status = C.ILT_ERR_INVALID_ARGUMENT // an argument that cannot be
	ErrInvalidState      Status = C.ILT_ERR_INVALID_STATE    // not now: training without data, or from inside a callback
	ErrBusy              Status = C.ILT_ERR_BUSY             // another goroutine is using the handle
	ErrConfig            Status = C.ILT_ERR_CONFIG           // an option: unknown, out of bounds, missing, at odds with another
	ErrNotFound          Status = C.ILT_ERR_NOT_FOUND        // a file, a folder, a chat template
	ErrIO                Status = C.ILT_ERR_IO               // the system could not read or write
	ErrFormat            Status = C.ILT_ERR_FORMAT           // a file that is broken or of a kind that is not read
	ErrData              Status = C.ILT_ERR_DATA             // a training record; no records
	ErrHostOutOfMemory   Status = C.ILT_ERR_OOM_HOST         // see also [ErrOutOfMemory]
	ErrDeviceOutOfMemory Status = C.ILT_ERR_OOM_DEVICE
	ErrDevice            Status = C.ILT_ERR_DEVICE  // a device that is missing or has failed
	ErrNumeric           Status = C.ILT_ERR_NUMERIC // a loss, gradient or weight that is not finite
	ErrDistributed       Status = C.ILT_ERR_DIST
	ErrTimeout           Status = C.ILT_ERR_TIMEOUT
	ErrUnsupported       Status = C.ILT_ERR_UNSUPPORTED // known, but not built or not possible here
	ErrVersion           Status = C.ILT_ERR_VERSION
	ErrCallback          Status = C.ILT_ERR_CALLBACK // a callback returned an error, which is in the tree
	ErrForked            Status = C.ILT_ERR_FORKED   // a handle of the parent process
	ErrInternal          Status = C.ILT_ERR_INTERNAL // a fault in libilt: please report it
)

var (
	// ErrOutOfMemory is any of [ErrHostOutOfMemory] and [ErrDeviceOutOfMemory].
	ErrOutOfMemory = errors.New("ilt: out of memory")

	// ErrClosed is returned by methods of what was closed.
	ErrClosed = errors.New("ilt: already closed")

	// Stop is returned by a callback to end the call that it belongs to, which then returns [ErrStopped].
	//
	//lint:ignore ST1012 named like fs.SkipAll: it is no failure
	Stop = errors.New("ilt: stop")
)

// String is the name that ilt.h has for the status.
func (s Status) String() string { return C.GoString(C.ilt_status_name(C.ilt_status(s))) }

// Error makes a Status an error.
func (s Status) Error() string {
	if s == ErrStopped {
		return "ilt: stopped"
	}
	return "ilt: " + s.String()
}

// Is reports whether the status is of a wider kind: [ErrOutOfMemory], [fs.ErrNotExist].
func (s Status) Is(target error) bool {
	switch target {
	case ErrOutOfMemory:
		return s == ErrHostOutOfMemory || s == ErrDeviceOutOfMemory
	case fs.ErrNotExist:
		return s == ErrNotFound
	}
	return false
}
