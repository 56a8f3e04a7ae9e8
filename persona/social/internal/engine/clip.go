package engine

import (
	"strconv"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
)

// What a turn sees of one message and of one name. QQ itself ends a message at about 4500 characters; a forwarded log
// or a hostile client may be longer. The journal keeps up to memory.MaxText bytes.
const (
	promptRunes = 4000
	NameBytes   = 256
)

// ClipPrompt is as much of a text as a turn sees.
func ClipPrompt(s string) string {
	if len(s) <= promptRunes {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > promptRunes {
			return s[:i] + "……（后面还有 " + strconv.Itoa(utf8.RuneCountInString(s[i:])) + " 字）"
		}
	}
	return s
}

// ClipRecord cuts a text to the length that a record keeps.
func ClipRecord(s string) string { return clip.Bytes(s, memory.MaxText) }
