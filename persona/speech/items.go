package speech

import "bytes"

const (
	itemOpen  = "<item>"
	itemClose = "</item>"
)

// ItemParser parses the <item> tags of a reply while the model streams it: "<item>早！</item><item>吃了吗</item>" has two items. Text
// outside of items is an item, too, and so is an item without a closing tag. An <item> inside another one ends it. Empty items
// and white space around items are dropped. Other markup is text. Use one Items for each reply, in one goroutine. The zero
// value is ready.
type ItemParser struct {
	// Strict makes Write return tagged items only. After the first text outside of items Write returns nothing more, and Close
	// returns the rest in order. Use it if only the end of the reply shows whether that text is for people.
	Strict bool

	text      []byte // of the current item
	scanned   int    // this much of text contains no tag
	open      bool   // the current item began with a tag
	heldItems []string
	holding   bool // with Strict: there was text outside of items
}

// Write adds a chunk of the reply and returns the items that are complete.
func (s *ItemParser) Write(chunk string) []string {
	s.text = append(s.text, chunk...)
	var items []string
	for {
		i := bytes.IndexByte(s.text[s.scanned:], '<')
		if i < 0 {
			s.scanned = len(s.text)
			return items
		}
		s.scanned += i
		rest := s.text[s.scanned:]
		tag := itemOpen
		if len(rest) > 1 && rest[1] == '/' {
			tag = itemClose
		}
		switch n := min(len(rest), len(tag)); {
		case !bytes.EqualFold(rest[:n], []byte(tag[:n])):
			s.scanned++
		case n < len(tag):
			return items // an incomplete tag
		default:
			items = s.emit(items, s.text[:s.scanned])
			s.text, s.scanned, s.open = append(s.text[:0], rest[n:]...), 0, tag == itemOpen
		}
	}
}

// Close returns the remaining items and resets the parser.
func (s *ItemParser) Close() []string {
	items := appendItem(s.heldItems, s.text)
	*s = ItemParser{Strict: s.Strict}
	return items
}

// emit appends a complete item to items, or holds it back.
func (s *ItemParser) emit(items []string, item []byte) []string {
	s.holding = s.holding || s.Strict && !s.open && len(bytes.TrimSpace(item)) > 0
	if s.holding {
		s.heldItems = appendItem(s.heldItems, item)
		return items
	}
	return appendItem(items, item)
}

func appendItem(items []string, item []byte) []string {
	if item = bytes.TrimSpace(item); len(item) == 0 {
		return items
	}
	return append(items, string(item))
}
