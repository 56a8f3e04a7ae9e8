package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// toldBy is the label of what a tool of the link tells the owner: of the chats that the call says by their ids, or, where it
// says none, or one that is not known, of any.
func (b *Engine) toldBy(args json.RawMessage) memory.Label {
	var given map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber() // ids are longer than a float64 is exact
	if d.Decode(&given) != nil {
		return memory.OwnerOnly()
	}
	var spaces []memory.Space
	for name, value := range given {
		kind, _, _ := strings.Cut(strings.ToLower(name), "_")
		if kind != "group" && kind != "user" && kind != "target" {
			continue
		}
		said := len(spaces)
		for _, c := range b.Chats() {
			if is := fmt.Sprint(value); is == c.ID.SourceID() || is == c.ID.ID && (kind == "group") == (c.ID.Kind != persona.Private) {
				spaces = append(spaces, c.Space)
			}
		}
		if len(spaces) == said {
			return memory.OwnerOnly()
		}
	}
	if len(spaces) == 0 {
		return memory.OwnerOnly()
	}
	return memory.Untrusted(spaces...)
}
