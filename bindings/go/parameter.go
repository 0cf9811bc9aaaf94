package ilt

// #include "shim.h"
// #include "dlpack.h"
import "C"

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"
)

// A Parameter describes a tensor of the model, under the name that the model's files have.
type Parameter struct {
	Name    string  `json:"name"`
	Shape   []int64 `json:"shape"`
	Dtype   string  `json:"dtype"` // in the session, like "float32"; files may have another
	Device  string  `json:"device"`
	Trained bool    `json:"trained"` // false where it is frozen
	Bytes   int64   `json:"bytes"`
}

// A Tensor is values in row-major order.
type Tensor struct {
	Shape []int64
	Data  []float32
}

// Parameters describes all parameters, in an order that stays; it ends after an error. It may run while another
// goroutine trains.
func (s *Session) Parameters() iter.Seq2[Parameter, error] {
	return func(yield func(Parameter, error) bool) {
		var count C.size_t
		err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status { return C.ilt_param_count(p, &count, err) })
		if err != nil {
			yield(Parameter{}, err)
			return
		}
		for i := range count {
			name, err := s.parameterName(i)
			if err != nil {
				yield(Parameter{}, err)
				return
			}
			parameter, err := s.Parameter(name)
			if !yield(parameter, err) || err != nil {
				return
			}
		}
	}
}

// parameterName copies the name while the session is in use, which is as long as it lives.
func (s *Session) parameterName(i C.size_t) (string, error) {
	p, err := s.h.use()
	if err != nil {
		return "", err
	}
	defer s.h.done()
	var name *C.char
	err = call(func(err **C.ilt_error) C.ilt_status { return C.ilt_param_name(p, i, &name, err) })
	if err != nil {
		return "", err
	}
	return C.GoString(name), nil
}

// Parameter describes one parameter. It may be called while another goroutine trains.
func (s *Session) Parameter(name string) (Parameter, error) {
	p, err := s.h.use()
	if err != nil {
		return Parameter{}, err
	}
	defer s.h.done()
	key := cString(name)
	defer freeString(key)
	return callJSON[Parameter](func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_param_info_json(p, key, out, length, err)
	})
}

// Tensor gives a copy of a parameter's values.
func (s *Session) Tensor(name string) (Tensor, error) {
	pack, err := s.DLPack(name, true)
	if err != nil {
		return Tensor{}, err
	}
	defer pack.Close()
	t := pack.tensor.tensor
	shape := slices.Clone(unsafe.Slice((*int64)(unsafe.Pointer(t.shape)), int(t.ndim)))
	values := C.ilt_go_tensor_values(pack.tensor)
	if values == nil {
		return Tensor{}, &Error{
			Status: ErrUnsupported, Message: fmt.Sprintf("parameter %s is no float32 tensor on the CPU: use DLPack", name),
		}
	}
	return Tensor{Shape: shape, Data: slices.Clone(unsafe.Slice((*float32)(unsafe.Pointer(values)), elements(shape)))}, nil
}

// SetTensor sets a parameter's values. What the optimizer keeps stays as it is.
func (s *Session) SetTensor(name string, t Tensor) error {
	if len(t.Data) != elements(t.Shape) {
		return &Error{
			Status:  ErrInvalidArgument,
			Message: fmt.Sprintf("a tensor of shape %v has %d values, not %d", t.Shape, elements(t.Shape), len(t.Data)),
		}
	}
	values := (*C.float)(unsafe.Pointer(unsafe.SliceData(t.Data)))
	shape := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(t.Shape)))
	pack := C.ilt_go_tensor_create(values, C.size_t(len(t.Data)), shape, C.int32_t(len(t.Shape)))
	if pack == nil {
		return &Error{Status: ErrHostOutOfMemory, Message: "no memory for a tensor"}
	}
	return s.SetDLPack(name, unsafe.Pointer(pack))
}

func elements(shape []int64) int {
	count := 1
	for _, n := range shape {
		count *= int(n)
	}
	return count
}

// A DLPack is a tensor to be handed to another library, or read where it lies.
type DLPack struct{ tensor *C.ilt_go_tensor }

// DLPack gives a parameter's values as a DLPack tensor: a copy, or the session's own memory, which is to be read only
// and changes with each step. It stays valid after the session is closed.
func (s *Session) DLPack(name string, copied bool) (*DLPack, error) {
	key := cString(name)
	defer freeString(key)
	var out *C.ilt_go_tensor
	if err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_param_to_dlpack(p, key, cBool(copied), &out, err)
	}); err != nil {
		return nil, err
	}
	return &DLPack{out}, nil
}

// SetDLPack sets a parameter to the values of a DLManagedTensorVersioned of the same shape, of any floating-point type,
// on the CPU. It takes the tensor over, in every case.
func (s *Session) SetDLPack(name string, tensor unsafe.Pointer) error {
	key := cString(name)
	defer freeString(key)
	source := (*C.ilt_go_tensor)(tensor)
	p, err := s.h.use()
	if err != nil {
		C.ilt_go_tensor_free(source)
		return err
	}
	defer s.h.done()
	return call(func(err **C.ilt_error) C.ilt_status { return C.ilt_param_from_dlpack(p, key, source, err) })
}

// Pointer is the DLManagedTensorVersioned. It belongs to d, unless [DLPack.Release] has given it away.
func (d *DLPack) Pointer() unsafe.Pointer { return unsafe.Pointer(d.tensor) }

// Release gives the DLManagedTensorVersioned to the caller, who is to call its deleter.
func (d *DLPack) Release() unsafe.Pointer {
	p := d.Pointer()
	d.tensor = nil
	return p
}

// Close frees the tensor unless it was given away.
func (d *DLPack) Close() error {
	if d.tensor != nil {
		C.ilt_go_tensor_free(d.tensor)
		d.tensor = nil
	}
	return nil
}
