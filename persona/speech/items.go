package speech

import "bytes"

const (
	itemOpen  = "<item>"
	itemClose = "</item>"
)

// ItemParser finds the <item>s of a reply while it is being written: "<item>早！</item><item>吃了吗</item>" are two. Other text
// is one item for each stretch of it, and so is an item that is never closed; white space around an item and empty ones
// are left out. An <item> inside of another ends that one. Nothing else is read as markup. An Items is for one reply and
// one goroutine; its zero value is ready to be written to.
type ItemParser struct {
	// Strict has Write give only what stands in tags, and nothing more from the first text on that does not: the rest, in
	// its order, is Close's. It is for who cannot know before the end whether text outside of items is meant for people.
	Strict bool

	text []byte // of the item at hand
	seen int    // so much of it holds no tag
	open bool   // it began with a tag
	held []string
	hold bool // with Strict: text outside of items has come
}

// Write takes more of the reply, and gives the items that are complete by now.
func (s *ItemParser) Write(chunk string) []string {
	s.text = append(s.text, chunk...)
	var items []string
	for {
		i := bytes.IndexByte(s.text[s.seen:], '<')
		if i < 0 {
			s.seen = len(s.text)
			return items
		}
		s.seen += i
		rest := s.text[s.seen:]
		tag := itemOpen
		if len(rest) > 1 && rest[1] == '/' {
			tag = itemClose
		}
		switch n := min(len(rest), len(tag)); {
		case !bytes.EqualFold(rest[:n], []byte(tag[:n])):
			s.seen++
		case n < len(tag):
			return items // it may become one
		default:
			items = s.give(items, s.text[:s.seen])
			s.text, s.seen, s.open = append(s.text[:0], rest[n:]...), 0, tag == itemOpen
		}
	}
}

// Close gives the last items, if there are any left.
func (s *ItemParser) Close() []string {
	items := appendItem(s.held, s.text)
	*s = ItemParser{Strict: s.Strict}
	return items
}

// give appends an item that a tag has ended, or holds it back.
func (s *ItemParser) give(items []string, item []byte) []string {
	s.hold = s.hold || s.Strict && !s.open && len(bytes.TrimSpace(item)) > 0
	if s.hold {
		s.held = appendItem(s.held, item)
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
