package ilt_test

import (
	"slices"
	"strings"
	"testing"

	"libilt.org/go/ilt"
)

func TestLibrary(t *testing.T) {
	info := ilt.ReadBuildInfo()
	if info.Version != ilt.Version() || info.Libtorch == "" || !slices.Contains(info.Features, "train") {
		t.Errorf("%+v", info)
	}
	if !ilt.HasFeature("train") || ilt.HasFeature("nonsense") {
		t.Error("features")
	}
	if major := ilt.VersionNumber() >> 24; !strings.HasPrefix(ilt.Version(), string('0'+rune(major))+".") {
		t.Errorf("version %s, number %x", ilt.Version(), ilt.VersionNumber())
	}
	if ilt.ABIVersion() != ilt.VersionNumber()>>24<<16|ilt.VersionNumber()>>16&0xff {
		t.Errorf("interface %x of version %s", ilt.ABIVersion(), ilt.Version())
	}
	families := ilt.ModelFamilies()
	if len(families) < 30 || families[0].Architecture != "LlamaForCausalLM" {
		t.Errorf("%v", families)
	}
}

func TestDevices(t *testing.T) {
	devices, err := ilt.Devices()
	check(t, err)
	if cpu := devices[0]; cpu.Type != ilt.DeviceCPU || cpu.ID != "cpu" || cpu.MemoryTotal <= 0 {
		t.Errorf("%+v", cpu)
	}
}
