package ilt

// #include "shim.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Version is the version of the library that runs, like "0.1.0".
func Version() string { return C.GoString(C.ilt_version_string()) }

// VersionNumber is the same as a number: major << 24 | minor << 16 | patch.
func VersionNumber() uint32 { return uint32(C.ilt_version_number()) }

// ABIVersion is the interface of the library that runs: libraries of one value are compatible.
func ABIVersion() uint32 { return uint32(C.ilt_abi_version()) }

// checkABI fails where the library that runs is another than the package was built against.
func checkABI() error {
	if built := uint32(C.ILT_ABI_VERSION); ABIVersion() != built {
		return &Error{
			Status: ErrVersion,
			Message: fmt.Sprintf("built against version %d.%d of libilt, running with %s: build the program again",
				built>>16, built&0xffff, Version()),
		}
	}
	return nil
}

// A BuildInfo says how the library was built.
type BuildInfo struct {
	Version       string   `json:"version"`
	ABI           string   `json:"abi"`
	Compiler      string   `json:"compiler"`
	Libtorch      string   `json:"libtorch"`
	CPUCapability string   `json:"cpu_capability"` // the instruction set that is used
	Features      []string `json:"features"`       // see [HasFeature]
}

// ReadBuildInfo gives what is known of the library that runs.
func ReadBuildInfo() BuildInfo {
	var info BuildInfo
	mustDecode(C.GoString(C.ilt_build_info_json()), &info)
	return info
}

// HasFeature reports whether the library was built with a feature, like "parquet".
func HasFeature(name string) bool {
	feature := cString(name)
	defer freeString(feature)
	return C.ilt_has_feature(feature) != 0
}

// A ModelFamily is a kind of model that can be trained.
type ModelFamily struct {
	Architecture string `json:"architecture"` // as config.json has it, like "LlamaForCausalLM"
	ModelType    string `json:"model_type"`   // as config.json has it, like "llama"
	Models       string `json:"models"`       // some that are of the family
}

// ModelFamilies lists the kinds of models that can be trained.
func ModelFamilies() []ModelFamily {
	var families []ModelFamily
	mustDecode(C.GoString(C.ilt_model_families_json()), &families)
	return families
}

// mustDecode reads a document that is part of the library.
func mustDecode(document string, value any) {
	if err := json.Unmarshal([]byte(document), value); err != nil {
		panic("ilt: a document of the library's own: " + err.Error())
	}
}

// A DeviceType is a kind of device, with DLPack's numbers.
type DeviceType int32

// The kinds of devices.
const (
	DeviceCPU    DeviceType = C.ILT_DEVICE_CPU
	DeviceCUDA   DeviceType = C.ILT_DEVICE_CUDA
	DeviceMetal  DeviceType = C.ILT_DEVICE_METAL
	DeviceROCm   DeviceType = C.ILT_DEVICE_ROCM
	DeviceOther  DeviceType = C.ILT_DEVICE_OTHER
	DeviceOneAPI DeviceType = C.ILT_DEVICE_ONEAPI
)

// A Device is something to train on.
type Device struct {
	Type        DeviceType
	Index       int
	ID          string // what Config.Device takes: "cpu", "cuda:0"
	Name        string
	MemoryTotal int64 // bytes; 0 if unknown
	MemoryFree  int64
}

// Devices lists the devices that can be used from this process; the first is the CPU.
func Devices() ([]Device, error) {
	var count C.int32_t
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_device_count(&count, err) }); err != nil {
		return nil, err
	}
	devices := make([]Device, 0, int(count))
	for i := range count {
		info := C.ilt_device_info{struct_size: C.sizeof_ilt_device_info}
		if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_device_get(i, &info, err) }); err != nil {
			return nil, err
		}
		devices = append(devices, Device{
			Type:        DeviceType(info._type),
			Index:       int(info.index),
			ID:          chars(info.id[:]),
			Name:        chars(info.name[:]),
			MemoryTotal: int64(info.mem_total_bytes),
			MemoryFree:  int64(info.mem_free_bytes),
		})
	}
	return devices, nil
}

// chars is the string in an array that NUL ends.
func chars(array []C.char) string {
	out := make([]byte, len(array))
	for i, c := range array {
		out[i] = byte(c)
	}
	out, _, _ = bytes.Cut(out, []byte{0})
	return string(out)
}
