//go:build unix

package qq_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only regular files are opened, because opening a pipe would block.
func TestSendImage_PipeDoesNotBlock(t *testing.T) {
	s, dir := gallery(t, qq.Options{})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.png"), 0o600))
	assert.Equal(t, "error: the tool failed: 没有这张图片，或者它不是能发的图片", s.call(inGroup, "qq_send_image", `{"image_path":"pipe.png"}`).Content)
}

// A file in the root is replaced continuously by a link to the outside, a pipe and a directory. Either the picture is
// sent or nothing, and no call hangs.
func TestSendImage_SwappedFiles(t *testing.T) {
	s, dir := gallery(t, qq.Options{})
	outside := filepath.Join(filepath.Dir(dir), "other.png")
	require.NoError(t, os.WriteFile(outside, append(slices.Clone(png), "OUTSIDE"...), 0o600))
	swapped := filepath.Join(dir, "swap.png")
	stop, done := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-done }()
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(dir, fmt.Sprint("next", n))
			switch n % 4 {
			case 0:
				_ = os.WriteFile(next, png, 0o600)
			case 1:
				_ = os.Symlink(outside, next)
			case 2:
				_ = syscall.Mkfifo(next, 0o600)
			case 3:
				_ = os.Symlink("..", next)
			}
			_ = os.Rename(next, swapped)
		}
	}()
	for range 500 {
		s.said = nil
		r := s.call(inGroup, "qq_send_image", `{"image_path":"swap.png"}`)
		require.NotContains(t, r.Content, "took too long", "it waited for a pipe")
		for _, said := range s.said {
			require.Equal(t, picture(png), said)
		}
	}
}
