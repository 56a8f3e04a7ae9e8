package hfc

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// TestText_EveryCode compares the text files with the frozen codes of both packages and all policies.
func TestText_EveryCode(t *testing.T) {
	frozen, err := os.ReadFile("../../testdata/frozen/codes.txt")
	require.NoError(t, err)
	codes := map[string]bool{}
	for line := range strings.Lines(string(frozen)) {
		top, c, _ := strings.Cut(strings.TrimSpace(line), " ")
		if top != "heartflow" && top != "internal" {
			continue
		}
		codes[c] = true
		for _, lang := range []string{"zh", "en"} {
			text := Text(heartflow.Code(c), lang)
			assert.NotEmpty(t, text, c)
			assert.NotEqual(t, c, text, "no text")
		}
	}
	own, err := os.ReadFile("../codes.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(own) + codeFile) {
		if key, _, ok := strings.Cut(line, "|"); ok {
			assert.Contains(t, codes, strings.TrimSpace(key))
		}
	}
	assert.Equal(t, "my_own", Text("my_own", "zh"))
}
