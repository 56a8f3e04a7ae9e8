// Archive builds the programs for people without Go: an archive for each target, and SHA256SUMS. The same commit and the same
// version of Go give the same bytes.
//
//	go run ./internal/archive -o dist
//	cd dist && sha256sum -c SHA256SUMS
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// module is the path of this module; its directory is the working directory.
const module = "github.com/hearth-bot/hearth"

// programs are the ones in each archive.
var programs = []string{"groupbot", "companion", "qqmcp"}

// targets are the systems of a release.
var targets = []string{"linux/amd64", "linux/arm64", "linux/arm", "windows/amd64", "darwin/amd64", "darwin/arm64"}

func main() {
	out := flag.String("o", "dist", "`directory` for the archives")
	version := flag.String("version", "", "`name` in the names of the archives; empty: from git describe")
	only := flag.String("targets", strings.Join(targets, ","), "`systems`, separated by commas")
	flag.Parse()
	if err := run(*out, *version, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

func run(out, version string, targets []string) error {
	if version == "" {
		v, err := output(nil, "git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return fmt.Errorf("%w\nwithout git, give -version", err)
		}
		version = strings.TrimPrefix(strings.TrimSpace(v), "v")
	}
	made := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	if s, err := output(nil, "git", "log", "-1", "--format=%ct"); err == nil {
		if sec, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
			made = time.Unix(sec, 0).UTC()
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("target %q does not have the form linux/amd64", target)
		}
		folder := fmt.Sprintf("hearth_%s_%s_%s", version, system, arch)
		files, err := contents(system, arch)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		name, pack := folder+".tar.gz", tarball
		if system == "windows" {
			name, pack = folder+".zip", zipped
		}
		archive, err := pack(folder, files, made)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), archive, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s %.1f MB\n", name, float64(len(archive))/1e6)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// A file of an archive.
type file struct {
	name    string
	program bool
	content []byte
}

// contents builds the programs and reads the documents of one archive.
func contents(system, arch string) (files []file, err error) {
	tmp, err := os.MkdirTemp("", "archive")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	env := []string{"GOOS=" + system, "GOARCH=" + arch, "GOARM=6", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT="}
	packages := []string{}
	for _, p := range programs {
		packages = append(packages, module+"/examples/"+p)
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", tmp + string(filepath.Separator)}, packages...)
	if _, err := output(env, "go", args...); err != nil {
		return nil, err
	}
	for _, p := range programs {
		if system == "windows" {
			p += ".exe"
		}
		b, err := os.ReadFile(filepath.Join(tmp, p))
		if err != nil {
			return nil, err
		}
		files = append(files, file{p, true, b})
	}
	for _, name := range []string{"LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, false, b})
	}
	licenses, err := licenses(env, packages)
	return append(files, file{"THIRD-PARTY-LICENSES.txt", false, licenses}), err
}

// licenses returns the licenses of Go and of the modules that the programs link.
func licenses(env, packages []string) ([]byte, error) {
	list, err := output(env, "go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"}, packages...)...)
	if err != nil {
		return nil, err
	}
	root, err := output(env, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines := append([]string{"Go\t" + strings.TrimSpace(root)}, slices.Compact(slices.Sorted(slices.Values(strings.Split(strings.TrimSpace(list), "\n"))))...)
	var all bytes.Buffer
	for _, line := range lines {
		name, dir, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		var found []string
		for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*"} {
			some, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return nil, err
			}
			found = append(found, some...)
		}
		if len(found) == 0 && name != "Go" { // distributions keep Go's license elsewhere
			return nil, fmt.Errorf("%s has no license file", name)
		}
		for _, f := range found {
			text, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&all, "==== %s: %s\n\n%s\n", name, filepath.Base(f), bytes.TrimSpace(text))
		}
	}
	return all.Bytes(), nil
}

func tarball(folder string, files []file, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: mode(f), Size: int64(len(f.content)), ModTime: made, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

func zipped(folder string, files []file, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: made}
		h.SetMode(os.FileMode(mode(f)))
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func mode(f file) int64 {
	if f.program {
		return 0o755
	}
	return 0o644
}

// output runs a command with more environment. Its error has what the command printed.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, complaints.Bytes())
	}
	return string(out), nil
}
