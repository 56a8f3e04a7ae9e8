package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun builds the archive of this system twice. Both have the same bytes, the sums are right, and each program starts.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("links three programs twice")
	}
	t.Chdir("../..")
	target := runtime.GOOS + "/" + runtime.GOARCH
	name := fmt.Sprintf("hearth_1.2.3_%s_%s", runtime.GOOS, runtime.GOARCH)
	full := name + ".tar.gz"
	if runtime.GOOS == "windows" {
		full = name + ".zip"
	}
	var archives [][]byte
	for range 2 {
		out := t.TempDir()
		require.NoError(t, run(out, "1.2.3", []string{target}))
		b, err := os.ReadFile(filepath.Join(out, full))
		require.NoError(t, err)
		sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%x  %s\n", sha256.Sum256(b), full), string(sums))
		archives = append(archives, b)
	}
	require.True(t, bytes.Equal(archives[0], archives[1]), "the same bytes twice")
	dir := t.TempDir()
	unpack(t, archives[0], dir)
	for _, document := range []string{"LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt"} {
		assert.FileExists(t, filepath.Join(dir, name, document))
	}
	licenses, err := os.ReadFile(filepath.Join(dir, name, "THIRD-PARTY-LICENSES.txt"))
	require.NoError(t, err)
	for _, module := range []string{"modernc.org/sqlite", "github.com/coder/websocket", "github.com/tmc/langchaingo"} {
		assert.Contains(t, string(licenses), "==== "+module)
	}
	for _, p := range programs {
		cmd := exec.Command(filepath.Join(dir, name, p), "-h")
		said, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s -h: %s", p, said)
		assert.Contains(t, string(said), p)
	}
}

// unpack extracts an archive.
func unpack(t *testing.T, archive []byte, dir string) {
	t.Helper()
	save := func(name string, mode os.FileMode, r io.Reader) {
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, b, mode))
	}
	if runtime.GOOS == "windows" {
		r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		require.NoError(t, err)
		for _, f := range r.File {
			in, err := f.Open()
			require.NoError(t, err)
			save(f.Name, f.Mode(), in)
		}
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		save(h.Name, os.FileMode(h.Mode), r)
	}
}

func TestZipped(t *testing.T) {
	b, err := zipped("f", []file{{"a.exe", true, []byte("x")}, {"b", false, []byte("y")}}, time.Unix(1e9, 0).UTC())
	require.NoError(t, err)
	again, err := zipped("f", []file{{"a.exe", true, []byte("x")}, {"b", false, []byte("y")}}, time.Unix(1e9, 0).UTC())
	require.NoError(t, err)
	assert.Equal(t, b, again)
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Len(t, r.File, 2)
	assert.Equal(t, "f/a.exe", r.File[0].Name)
	assert.Equal(t, os.FileMode(0o755), r.File[0].Mode())
}

func TestRun_BadTarget(t *testing.T) {
	assert.ErrorContains(t, run(t.TempDir(), "1", strings.Fields("linux")), "does not have the form")
}
