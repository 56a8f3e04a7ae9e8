package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A runner tries mutations one after the other. Its method build compiles test binaries into dir.
type runner struct {
	root, dir string
	timeout   time.Duration
	named     map[string][]testName
	binaries  map[string]string  // test binaries without a mutation, by directory
	passed    map[testName]error // results without a mutation; nil for a test that passes
}

// runAll prints one line for each mutation and returns how many were not killed.
func (r *runner) runAll(ctx context.Context, all []mutation, out io.Writer) int {
	start, failed := time.Now(), 0
	for i, m := range all {
		began := time.Now()
		killer, err := r.try(ctx, i, m)
		if ctx.Err() != nil {
			return failed
		}
		result := "killed by " + killer
		switch {
		case err != nil:
			result, failed = "ERROR: "+err.Error(), failed+1
		case killer == "":
			result, failed = fmt.Sprintf("SURVIVED at mutations.txt:%d\n%s", m.line, m.diff()), failed+1
		}
		fmt.Fprintf(out, "[%d/%d] %4.1fs %s %s: %s\n", i+1, len(all), time.Since(began).Seconds(), m.row, m.file,
			strings.TrimSuffix(result, "\n"))
	}
	fmt.Fprintf(out, "%d of %d killed in %s\n", len(all)-failed, len(all), time.Since(start).Round(time.Second))
	return failed
}

// try returns the first test that failed with the mutation, or "" if none did.
func (r *runner) try(ctx context.Context, i int, m mutation) (string, error) {
	tests, err := m.testsIn(r.named)
	if err != nil {
		return "", err
	}
	mutated, err := m.apply(r.root)
	if err != nil {
		return "", err
	}
	byDir := map[string][]testName{}
	var dirs []string
	for _, n := range tests {
		if byDir[n.dir] == nil {
			dirs = append(dirs, n.dir)
		}
		byDir[n.dir] = append(byDir[n.dir], n)
	}
	for _, dir := range dirs {
		if err := r.control(ctx, byDir[dir]); err != nil {
			return "", err
		}
	}
	work := filepath.Join(r.dir, fmt.Sprintf("%03d-%s", i+1, m.row))
	if err := os.MkdirAll(work, 0o700); err != nil {
		return "", err
	}
	overlay, err := writeOverlay(r.root, work, m.file, mutated)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		binary, err := r.build(ctx, dir, filepath.Join(work, strings.ReplaceAll(dir, "/", "-")+".test"), overlay)
		if err != nil {
			return "", err
		}
		killer, err := r.runTests(ctx, dir, binary, byDir[dir])
		_ = os.Remove(binary)
		if killer != "" || err != nil {
			return killer, err
		}
	}
	return "", nil
}

// control checks that the tests pass without a mutation. It runs each test once in the life of r.
func (r *runner) control(ctx context.Context, tests []testName) error {
	for _, n := range tests {
		if _, ok := r.passed[n]; !ok {
			r.passed[n] = r.runWithoutMutation(ctx, n)
		}
		if err := r.passed[n]; err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	return nil
}

func (r *runner) runWithoutMutation(ctx context.Context, n testName) error {
	if r.binaries[n.dir] == "" {
		binary, err := r.build(ctx, n.dir, filepath.Join(r.dir, strings.ReplaceAll(n.dir, "/", "-")+".test"), "")
		if err != nil {
			return err
		}
		r.binaries[n.dir] = binary
	}
	killer, err := r.runTests(ctx, n.dir, r.binaries[n.dir], []testName{n})
	if killer != "" {
		err = errors.New("fails without a mutation")
	}
	return err
}

// writeOverlay returns the name of a file for go's flag -overlay.
func writeOverlay(root, work, file string, mutated []byte) (string, error) {
	original, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(work, path.Base(file))
	if err := os.WriteFile(replacement, mutated, 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// build compiles the tests in dir. An overlay of "" is none.
func (r *runner) build(ctx context.Context, dir, binary, overlay string) (string, error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+sourceDir(dir))...)
	cmd.Dir = r.root
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the tests of %s do not compile: %s", dir, bytes.TrimSpace(output))
	}
	return filepath.Abs(binary)
}

// sourceDir returns the directory of a package that docs/requirements.md names. It calls the root of the module "root".
func sourceDir(dir string) string {
	if dir == "root" {
		return "."
	}
	return dir
}

// runTests returns the first of the tests that failed, or "" if all passed.
func (r *runner) runTests(ctx context.Context, dir, binary string, tests []testName) (string, error) {
	var names []string
	for _, n := range tests {
		names = append(names, n.name)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.count=1", "-test.failfast",
		"-test.run=^("+strings.Join(names, "|")+")$")
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(sourceDir(dir)))
	cmd.WaitDelay = time.Second
	output, err := cmd.CombinedOutput()
	_ = os.WriteFile(binary+".txt", output, 0o600)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time limit", nil
	}
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return "", err
	}
	var ran []string
	for line := range strings.Lines(string(output)) {
		if name, ok := strings.CutPrefix(line, "=== RUN   "); ok {
			ran = append(ran, strings.TrimSpace(name))
		}
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			return strings.Fields(name)[0], nil
		}
		if strings.HasPrefix(line, "--- SKIP: ") {
			return "", fmt.Errorf("skipped: %s", strings.TrimSpace(line))
		}
	}
	if err != nil {
		return fmt.Sprintf("a panic in %s", strings.Join(ran[max(len(ran)-1, 0):], "")), nil
	}
	for _, name := range names {
		if !slices.Contains(ran, name) {
			return "", fmt.Errorf("%s has no %s", dir, name)
		}
	}
	return "", nil
}
