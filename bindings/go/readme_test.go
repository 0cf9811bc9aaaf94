package ilt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program of the README, in a module that its commands have made, trains.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	check(t, err)
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(text)
	commands := regexp.MustCompile(`(?m)^mkdir hello .*\n(?:go mod .*\n)+`).Find(text)
	if program == nil || commands == nil {
		t.Fatal("the README has no program, or no commands for its module")
	}
	here, err := os.Getwd()
	check(t, err)
	folder := t.TempDir()
	script := strings.ReplaceAll(string(commands), "/path/to/libilt/bindings/go", here)
	shell := exec.Command("sh", "-e")
	shell.Dir, shell.Stdin = folder, strings.NewReader(script)
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s%s%v", script, output, err)
	}

	module := filepath.Join(folder, "hello")
	check(t, os.WriteFile(filepath.Join(module, "main.go"), program[1], 0o644))
	absolute, err := filepath.Abs(model)
	check(t, err)
	check(t, os.Symlink(absolute, filepath.Join(module, "model")))
	check(t, os.Symlink(absolute+".jsonl", filepath.Join(module, "chats.jsonl")))
	run := exec.Command("go", "run", ".")
	run.Dir, run.Env = module, append(os.Environ(), "GOPROXY=off")
	output, err := run.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(output), "step 1: loss ") {
		t.Errorf("%s%v", output, err)
	}
	if _, err := os.Stat(filepath.Join(module, "out", "hf_format")); err != nil {
		t.Error(err)
	}
}
