package ilt_test

import (
	"testing"

	"libilt.org/go/ilt"
)

// What a call into the library costs: ilt_version_number() does nothing.
func BenchmarkCall(b *testing.B) {
	for b.Loop() {
		ilt.VersionNumber()
	}
}

func BenchmarkMetrics(b *testing.B) {
	s := newSession(b, training())
	for b.Loop() {
		if _, err := s.Metrics(); err != nil {
			b.Fatal(err)
		}
	}
}
