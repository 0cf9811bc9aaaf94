package ilt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each function of ilt.h is called by the package, but for those that unbound.txt excuses.
func TestEachFunctionIsCalled(t *testing.T) {
	include, err := exec.Command("pkg-config", "--variable=includedir", "ilt").Output()
	check(t, err)
	declared := names(t, filepath.Join(strings.TrimSpace(string(include)), "ilt.h"), `(?m)^ILT_API[^;(]*?\b(ilt_\w+)\(`)
	if len(declared) < 50 {
		t.Fatalf("only %d functions in the header", len(declared))
	}
	called := names(t, "unbound.txt", `(?m)^(ilt_\w+)`)
	for _, pattern := range []string{"*.go", "*.c"} {
		files, err := filepath.Glob(pattern)
		check(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				called = append(called, names(t, file, `\b(?:C\.)?(ilt_\w+)\(`)...)
			}
		}
	}
	for _, name := range declared {
		if !slices.Contains(called, name) {
			t.Errorf("%s is not called", name)
		}
	}
}

// names are the first groups of all matches in a file.
func names(t *testing.T, file, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		found = append(found, match[1])
	}
	return found
}
