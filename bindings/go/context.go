package ilt

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
)

// withToken runs f with a token that is cancelled when ctx ends; NULL where it never does.
func withToken(ctx context.Context, f func(token *C.ilt_cancel_token) error) error {
	if ctx.Err() != nil {
		return stoppedBy(ctx)
	}
	if ctx.Done() == nil {
		return f(nil)
	}
	var token *C.ilt_cancel_token
	err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_cancel_token_create(&token, err) })
	if err != nil {
		return err
	}
	defer C.ilt_cancel_token_free(token)

	// The watcher has a reference of its own: it may still run when f is done.
	watcher := C.ilt_cancel_token_retain(token)
	unwatch := context.AfterFunc(ctx, func() {
		C.ilt_cancel_token_cancel(watcher)
		C.ilt_cancel_token_free(watcher)
	})
	defer func() {
		if unwatch() {
			C.ilt_cancel_token_free(watcher)
		}
	}()

	err = f(token)
	if errors.Is(err, ErrStopped) && ctx.Err() != nil {
		return stoppedBy(ctx)
	}
	return err
}

// stoppedBy is ErrStopped together with the reasons of ctx.
func stoppedBy(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == cause {
		return fmt.Errorf("%w: %w", ErrStopped, err)
	}
	return fmt.Errorf("%w: %w: %w", ErrStopped, err, cause)
}
