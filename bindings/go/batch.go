package ilt

// #include "shim.h"
import "C"

import "unsafe"

// A Batch is samples of the caller's own, for [Session.ForwardBackward]. It may serve any session, and be filled again.
type Batch struct{ h *handle[*C.ilt_batch] }

// NewBatch makes an empty batch.
func NewBatch() (*Batch, error) {
	var p *C.ilt_batch
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_batch_create(&p, err) }); err != nil {
		return nil, err
	}
	return &Batch{newHandle("batch", p, func(p *C.ilt_batch) { C.ilt_batch_free(p) })}, nil
}

// Close frees the batch.
func (b *Batch) Close() error {
	b.h.close()
	return nil
}

// Add adds one sample, which sees no other sample. sample.Labels[i], what IDs[:i] are to predict, is mostly IDs[i], or
// [IgnoreLabel] where nothing is learnt; nil stands for all ids. weights[i] multiplies the cross-entropy of Labels[i]
// and may be 0 or negative; nil stands for 1. Position 0 never counts.
func (b *Batch) Add(sample Sample, weights []float32) error {
	if err := sameLength(len(sample.IDs), sample.Labels, weights); err != nil {
		return err
	}
	return b.call(func(p *C.ilt_batch, err **C.ilt_error) C.ilt_status {
		w := (*C.float)(unsafe.Pointer(unsafe.SliceData(weights)))
		return C.ilt_batch_add(p, idArray(sample.IDs), idArray(sample.Labels), w, C.size_t(len(sample.IDs)), err)
	})
}

func sameLength(count int, labels []int32, weights []float32) error {
	if (labels != nil && len(labels) != count) || (weights != nil && len(weights) != count) {
		return &Error{
			Status:  ErrInvalidArgument,
			Message: "a sample has as many labels and weights as ids, or nil",
			Detail:  map[string]any{"ids": count, "labels": len(labels), "weights": len(weights)},
		}
	}
	return nil
}

// Clear removes all samples and keeps the memory for the next ones.
func (b *Batch) Clear() error {
	return b.call(func(p *C.ilt_batch, err **C.ilt_error) C.ilt_status { return C.ilt_batch_clear(p, err) })
}

// Size is how many samples and tokens the batch holds.
func (b *Batch) Size() (samples, tokens int64, err error) {
	var s, t C.int64_t
	err = b.call(func(p *C.ilt_batch, err **C.ilt_error) C.ilt_status { return C.ilt_batch_size(p, &s, &t, err) })
	return int64(s), int64(t), err
}

func (b *Batch) call(f func(p *C.ilt_batch, err **C.ilt_error) C.ilt_status) error {
	p, err := b.h.use()
	if err != nil {
		return err
	}
	defer b.h.done()
	return call(func(err **C.ilt_error) C.ilt_status { return f(p, err) })
}

// ForwardBackward runs a batch and adds the gradient of its loss to what earlier calls have added since the last step.
// It returns the sum of weight * -log p(label), in nats, and the sum of the weights: their quotient is the mean loss.
// It works with and without data of the session.
func (s *Session) ForwardBackward(batch *Batch) (loss, weight float64, err error) {
	b, err := batch.h.use()
	if err != nil {
		return 0, 0, err
	}
	defer batch.h.done()
	var l, w C.double
	err = s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_forward_backward(p, b, &l, &w, err)
	})
	return float64(l), float64(w), err
}

// OptimizerStep divides the gradients, clips their norm, updates the weights, and clears the gradients. A divisor of 0
// stands for the sum of the weights of all labels since the last step, so that the step follows the mean loss; where
// weights have both signs, or samples are to count alike, give a positive number.
//
// The step counts as a step of the run: the learning rate is the schedule's for it, and it returns [io.EOF] when the
// run's steps are used up. It writes nothing, and no callback is told.
func (s *Session) OptimizerStep(divisor float64) (Metrics, error) {
	m := emptyMetrics()
	err := s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status {
		return C.ilt_optimizer_step(p, C.double(divisor), &m, err)
	})
	if err != nil {
		return Metrics{}, err
	}
	return newMetrics(&m), nil
}

// ZeroGrad drops the gradients that [Session.ForwardBackward] has added since the last step.
func (s *Session) ZeroGrad() error {
	return s.call(func(p *C.ilt_session, err **C.ilt_error) C.ilt_status { return C.ilt_zero_grad(p, err) })
}
