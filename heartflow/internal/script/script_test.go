package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func upper(line string) []string {
	if line == "nothing" {
		return nil
	}
	return strings.Fields(strings.ToUpper(line))
}

func TestPlay_Output(t *testing.T) {
	const script = "# a comment\n\none two\n    what an earlier run gave\nnothing\n"
	assert.Equal(t, "# a comment\n\none two\n    ONE\n    TWO\nnothing\n", Play(script, upper))
	assert.Equal(t, Play(script, upper), Play(Play(script, upper), upper))
}

func TestFiles_Update(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(file, []byte("one\n"), 0o600))
	begin := func(*testing.T) Step { return upper }
	Files(t, file, true, begin)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "one\n    ONE\n", string(written))
	Files(t, file, false, begin)
}
