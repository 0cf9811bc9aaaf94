// Command gen writes the generated files of package ilt, from the schema of the installed library, into a folder.
package main

// #cgo pkg-config: ilt
// #include <ilt.h>
import "C"

import (
	"fmt"
	"os"
	"path/filepath"

	"libilt.org/go/ilt/internal/optiongen"
)

func main() {
	if err := write(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	files, err := optiongen.Generate([]byte(C.GoString(C.ilt_config_schema_json())))
	if err != nil {
		return err
	}
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(folder, name), source, 0o644); err != nil {
			return err
		}
	}
	return nil
}
