package outside

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSocial_Flags(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cat.png"), []byte("x"), 0o600))
	parse := func(args ...string) (s Social, err error) {
		f := flag.NewFlagSet("", flag.ContinueOnError)
		s.Flags(f)
		require.NoError(t, f.Parse(args))
		return s, s.Check()
	}
	s, err := parse()
	require.NoError(t, err)
	assert.True(t, s.Enabled)
	root, end, err := s.Images()
	require.NoError(t, err)
	assert.Nil(t, root)
	end()
	owners := []persona.Account{{Platform: "qq", ID: "900"}}
	w := s.Watch(owners)
	assert.Empty(t, w.Names)
	assert.Equal(t, owners, w.Owners)

	s, err = parse("-owner-names", "老王, 王工", "-watch", "12345,67890", "-images", dir, "-enable-social-mode=false")
	require.NoError(t, err)
	assert.False(t, s.Enabled)
	w = s.Watch(owners)
	assert.Equal(t, []string{"老王", "王工"}, w.Names)
	assert.Equal(t, []persona.Account{{Platform: "qq", ID: "12345"}, {Platform: "qq", ID: "67890"}}, w.Watched)
	root, end, err = s.Images()
	require.NoError(t, err)
	defer end()
	data, err := root.ReadFile("cat.png")
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))

	_, err = parse("-watch", "小明")
	assert.ErrorContains(t, err, `-watch: "小明" is no QQ number`)
	s, err = parse("-images", filepath.Join(dir, "none"))
	require.NoError(t, err)
	_, _, err = s.Images()
	assert.ErrorContains(t, err, "-images: ")
}
