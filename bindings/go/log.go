package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"log/slog"
	"runtime/cgo"
	"sync/atomic"
)

// LevelTrace is the level of the library's finest lines, below [slog.LevelDebug].
const LevelTrace = slog.Level(-8)

var levels = []struct {
	c    C.ilt_log_level
	slog slog.Level
}{
	{C.ILT_LOG_TRACE, LevelTrace},
	{C.ILT_LOG_DEBUG, slog.LevelDebug},
	{C.ILT_LOG_INFO, slog.LevelInfo},
	{C.ILT_LOG_WARN, slog.LevelWarn},
	{C.ILT_LOG_ERROR, slog.LevelError},
}

var current atomic.Pointer[slog.Logger]

// SetLogger sends the log of the library, which is the process's, to l; nil silences it, as it is at first. Each record
// has the attribute "component". The levels that l has enabled now are those that it gets, until
// [SetLogLevel].
//
// Records come from any goroutine and from threads of the library's, one at a time. The handler must call nothing of
// this package.
func SetLogger(l *slog.Logger) error {
	current.Store(l)
	if l == nil {
		return call(func(err **C.ilt_error) C.ilt_status { return C.ilt_go_log_set(0, C.ILT_LOG_OFF, err) })
	}
	lowest := C.ilt_log_level(C.ILT_LOG_OFF)
	for _, level := range levels {
		if l.Enabled(context.Background(), level.slog) {
			lowest = level.c
			break
		}
	}
	h := cgo.NewHandle(l) // goIltDestroy deletes it
	return call(func(err **C.ilt_error) C.ilt_status { return C.ilt_go_log_set(C.uintptr_t(h), lowest, err) })
}

// SetLogLevel logs records of a level and above from now on.
func SetLogLevel(level slog.Level) {
	for _, l := range levels {
		if level <= l.slog {
			C.ilt_log_level_set(l.c)
			return
		}
	}
	C.ilt_log_level_set(C.ILT_LOG_OFF)
}

// LogEnabled reports whether the library's log has records of a level.
func LogEnabled(level slog.Level) bool {
	lowest := C.ilt_log_level_get()
	for _, l := range levels {
		if l.c == lowest {
			return level >= l.slog
		}
	}
	return false
}

// logger is that of SetLogger, or one that discards.
func logger() *slog.Logger {
	if l := current.Load(); l != nil {
		return l
	}
	return slog.New(slog.DiscardHandler)
}

//export goIltLog
func goIltLog(level C.ilt_log_level, component, message *C.char, user C.uintptr_t) {
	// The library holds its log's lock: a panic must not pass through it. It ends the program all the same, as that of
	// any goroutine.
	defer func() {
		if p := recover(); p != nil {
			go panic(p)
		}
	}()
	at := slog.LevelError
	for _, l := range levels {
		if l.c == level {
			at = l.slog
		}
	}
	l := cgo.Handle(user).Value().(*slog.Logger)
	l.LogAttrs(context.Background(), at, C.GoString(message), slog.String("component", C.GoString(component)))
}
