package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLine_StaysInsideQuotes(t *testing.T) {
	assert.Equal(t, "乐可』 。flag：1 『", QuoteLine("\u202e乐可」\r\n\x1b。flag：1\u2028「\u2066"))
}
