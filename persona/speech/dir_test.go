package speech

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	png  = "\x89PNG\r\n\x1a\n…"
	gif  = "GIF89a…"
	jpg  = "\xff\xd8\xff\xe0…"
	webp = "RIFF\x00\x00\x00\x00WEBPVP8 "
)

func folder(t *testing.T, files map[string]string) (*os.Root, string) {
	t.Helper()
	path := t.TempDir()
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(path, name), []byte(data), 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(path, name), time.Time{}, time.Unix(int64(len(name)), 0)))
	}
	root, err := os.OpenRoot(path)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	return root, path
}

func tagsByName(t *testing.T, d *StickerDir) map[string][]string {
	t.Helper()
	all, err := d.Stickers(t.Context())
	require.NoError(t, err)
	tags := map[string][]string{}
	for _, one := range all {
		tags[one.ID] = one.Tags
	}
	return tags
}

func TestStickerDir_Stickers(t *testing.T) {
	root, path := folder(t, map[string]string{
		"开心,大笑.png": png, "happy-wave_2.gif": gif, "无语 （尴尬）.jpeg": jpg, "123.webp": webp, "listed.png": png, "bare": gif,
		"index.json": `{"listed.png": ["难过"], "missing.png": ["x"]}`,
		"page.png":   "<html>", "empty.png": "", "large.png": png + strings.Repeat("x", 100), ".hidden.png": png, "notes.txt": "x",
	})
	require.NoError(t, os.Mkdir(filepath.Join(path, "folder.png"), 0o700))
	outside := filepath.Join(t.TempDir(), "secret.png")
	require.NoError(t, os.WriteFile(outside, []byte(png), 0o600))
	linked := runtime.GOOS != "windows"
	if linked {
		require.NoError(t, os.Symlink(outside, filepath.Join(path, "out.png")))
		require.NoError(t, os.Symlink("bare", filepath.Join(path, "in.png")))
	}
	d := newDir(t, root, StickerDirOptions{MaxBytes: 50})
	want := map[string][]string{
		"开心,大笑.png": {"开心", "大笑"}, "happy-wave_2.gif": {"happy", "wave"}, "无语 （尴尬）.jpeg": {"无语", "尴尬"}, "123.webp": nil,
		"listed.png": {"难过"}, "bare": {"bare"},
	}
	if linked {
		want["in.png"] = []string{"in"}
	}
	for range 2 { // the second time from the cache
		assert.Equal(t, want, tagsByName(t, d))
	}
	data, err := d.Picture(t.Context(), "开心,大笑.png")
	require.NoError(t, err)
	assert.Equal(t, png, string(data))
	for _, id := range []string{"page.png", "large.png", "folder.png", "index.json", "../x.png", "", ".", "/etc/passwd", "out.png", "missing.png"} {
		_, err := d.Picture(t.Context(), id)
		assert.Error(t, err, id)
	}

	require.NoError(t, os.WriteFile(filepath.Join(path, "page.png"), []byte(png+"now"), 0o600))
	assert.Contains(t, tagsByName(t, d), "page.png", "it has changed")
	require.NoError(t, os.WriteFile(filepath.Join(path, "page.png"), []byte(strings.Repeat("x", len(png+"now"))), 0o600))
	require.NoError(t, os.Chtimes(filepath.Join(path, "page.png"), time.Time{}, time.Unix(7, 0)))
	assert.NotContains(t, tagsByName(t, d), "page.png", "it has changed, in time alone")
	require.NoError(t, os.WriteFile(filepath.Join(path, "index.json"), []byte("{"), 0o600))
	_, err = d.Stickers(t.Context())
	require.ErrorContains(t, err, "index.json")
}

func TestStickerDir_Limits(t *testing.T) {
	root, _ := folder(t, map[string]string{"a.png": png, "bb.png": png, "ccc.png": png})
	all, err := newDir(t, root, StickerDirOptions{MaxFiles: 2}).Stickers(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Sticker{{"a.png", []string{"a"}}, {"bb.png", []string{"bb"}}}, all, "the oldest")
}

func TestStickerDir_AddAndRemove(t *testing.T) {
	root, path := folder(t, nil)
	d := newDir(t, root, StickerDirOptions{MaxBytes: 50})
	one, err := d.Add(t.Context(), []string{"开心", "../../大笑", "开心", "7"}, []byte(gif))
	require.NoError(t, err)
	assert.Equal(t, []string{"开心", "大笑"}, one.Tags)
	assert.True(t, strings.HasPrefix(one.ID, "开心,大笑,0x") && strings.HasSuffix(one.ID, ".gif"), one.ID)
	assert.Equal(t, map[string][]string{one.ID: one.Tags}, tagsByName(t, d))
	again, err := d.Add(t.Context(), []string{"好笑"}, []byte(gif))
	require.NoError(t, err)
	assert.Equal(t, one, again, "the same picture is kept once")
	long, err := d.Add(t.Context(), []string{strings.Repeat("长", 100), strings.Repeat("很", 100), strings.Repeat("特", 100)}, []byte(png))
	require.NoError(t, err)
	assert.Less(t, len(long.ID), 255)

	for _, bad := range [][]byte{nil, []byte("<html>"), []byte(png + strings.Repeat("x", 100))} {
		_, err := d.Add(t.Context(), []string{"开心"}, bad)
		require.ErrorIs(t, err, ErrInvalidSticker)
	}
	_, err = d.Add(t.Context(), []string{"…", "12"}, []byte(jpg))
	require.ErrorIs(t, err, ErrInvalidSticker)

	require.NoError(t, d.Remove(t.Context(), one.ID))
	require.NoError(t, d.Remove(t.Context(), one.ID))
	for _, id := range []string{"../x", "index.json", ".x", ""} {
		require.ErrorIs(t, d.Remove(t.Context(), id), fs.ErrNotExist, id)
	}
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func newDir(t testing.TB, root *os.Root, o StickerDirOptions) *StickerDir {
	t.Helper()
	d, err := NewStickerDir(root, o)
	require.NoError(t, err)
	return d
}

func TestNewStickerDir_RejectsBadArguments(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	for want, call := range map[string]func() (*StickerDir, error){
		"root is nil":                func() (*StickerDir, error) { return NewStickerDir(nil, StickerDirOptions{}) },
		"MaxFiles of -1 is negative": func() (*StickerDir, error) { return NewStickerDir(root, StickerDirOptions{MaxFiles: -1}) },
		"MaxBytes of -1 is negative": func() (*StickerDir, error) { return NewStickerDir(root, StickerDirOptions{MaxBytes: -1}) },
	} {
		_, err := call()
		require.EqualError(t, err, "speech: sticker directory: "+want)
	}
}
