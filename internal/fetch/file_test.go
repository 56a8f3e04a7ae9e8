package fetch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadImage(t *testing.T) {
	dir := t.TempDir()
	png := []byte("\x89PNG\r\n\x1a\n1234")
	for name, data := range map[string][]byte{"a.png": png, "b.png": []byte("text"), "sub/c.png": png} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	most := int64(len(png))
	for _, name := range []string{"a.png", "sub/c.png"} {
		data, err := fetch.ReadImage(root, name, most)
		require.NoError(t, err)
		assert.Equal(t, png, data)
	}
	for _, c := range []struct {
		name string
		most int64
		want error
	}{{"a.png", most - 1, fetch.ErrNotImage}, {"b.png", most, fetch.ErrNotImage}, {"sub", most, fetch.ErrNotImage}, {"none.png", most, os.ErrNotExist}} {
		_, err := fetch.ReadImage(root, c.name, c.most)
		assert.ErrorIs(t, err, c.want, c.name)
	}
	_, err = fetch.ReadImage(root, "../a.png", most)
	assert.Error(t, err)
}
