package texts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/internal/texts"
)

func TestOf(t *testing.T) {
	text := texts.Of("# for people | only\n\nmood  | 看心情 | my mood decided it\n")
	for lang, want := range map[string]string{"zh": "看心情", "zh-CN": "看心情", "en": "my mood decided it", "": "my mood decided it"} {
		assert.Equal(t, want, text("mood", lang))
	}
	assert.Equal(t, "moon", text("moon", "zh"))
	assert.Equal(t, "# for people", text("# for people", "zh"))
}
