package ilt

// #cgo pkg-config: ilt
// #include "shim.h"
import "C"

import (
	"encoding/json"
	"unsafe"
)

// call runs one function of the library and makes a Go error of its status and error object.
func call(f func(err **C.ilt_error) C.ilt_status) error {
	var cerr *C.ilt_error
	return newError(f(&cerr), cerr)
}

// callString is call for a function that gives a string, which it takes over.
func callString(f func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status) (string, error) {
	var (
		out    *C.char
		length C.size_t
	)
	if err := call(func(err **C.ilt_error) C.ilt_status { return f(&out, &length, err) }); err != nil {
		return "", err
	}
	defer freeLibraryString(out)
	return string(unsafe.Slice((*byte)(unsafe.Pointer(out)), int(length))), nil
}

// callJSON is call for a function that gives a JSON document, which it decodes into a T.
func callJSON[T any](f func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status) (T, error) {
	var value T
	text, err := callString(f)
	if err != nil {
		return value, err
	}
	err = json.Unmarshal([]byte(text), &value)
	return value, err
}

// takeIDs copies an array of the library's to Go and frees it.
func takeIDs(array *C.int32_t, count C.size_t) []int32 {
	defer C.ilt_free(unsafe.Pointer(array))
	ids := make([]int32, int(count))
	copy(ids, unsafe.Slice((*int32)(unsafe.Pointer(array)), int(count)))
	return ids
}

// text gives the bytes of s to a function that takes them with their length, and copies or only reads them.
func text[S string | []byte](s S) (*C.char, C.size_t) {
	if len(s) == 0 {
		return C.ilt_go_empty(), 0
	}
	switch v := any(s).(type) {
	case string:
		return (*C.char)(unsafe.Pointer(unsafe.StringData(v))), C.size_t(len(v))
	case []byte:
		return (*C.char)(unsafe.Pointer(unsafe.SliceData(v))), C.size_t(len(v))
	}
	panic("unreachable")
}

// cString makes a C string, which must be given to freeString.
func cString(s string) *C.char { return C.CString(s) }

func freeString(s *C.char) { C.free(unsafe.Pointer(s)) }

func freeLibraryString(s *C.char) { C.ilt_free(unsafe.Pointer(s)) }

// optionsJSON encodes the options of one call as the library takes them; to be given to freeString.
func optionsJSON(options any) (*C.char, error) {
	document, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	return cString(string(document)), nil
}

func cBool(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
