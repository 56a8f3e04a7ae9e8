package prompt

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A Segment is a piece of a context: one message, one memory, one block, or the text between them.
type Segment struct {
	Kind    string // such as "history" or "memory"; "" for text that is no item of a list
	ID      string // key of the message, or id of the memory; "" for other text
	Rank    int    // segments of the lowest rank are dropped first; 0: it is never dropped
	Text    string
	Tokens  int  // as counted by [Tokens]
	Dropped bool // the budget had no room for it, and the model does not see it
}

// segmentKinds are the kinds by priority.
var segmentKinds = [priorities + 1]string{
	background: "public chat", ownerMemory: "owner memory", chatMemory: "memory", people: "person", events: "owner activity",
	pastTasks: "past task", notes: "note", plannedTasks: "planned task", mind: "global reflection", history: "history",
	summary: "summary", inner: "inner state", documents: "document", priorities: "recent",
}

// ContextSegments returns the segments of a context in their order. The joined texts of those that are not dropped are the text
// that [Context] returns.
func ContextSegments(p persona.Profile, now time.Time, s Scene) []Segment {
	w := writeContext(p, now, &s)
	w.dropToBudget(s.Budget, s.History, s.CachePrefix)
	text, from := w.buf.String(), 0
	all := make([]Segment, 0, 2*len(w.segments)+1)
	add := func(text string, of Segment) {
		if text != "" {
			of.Text, of.Tokens = text, Tokens(text)
			all = append(all, of)
		}
	}
	for _, piece := range w.segments {
		add(text[from:piece.start], Segment{})
		rank := 0
		if piece.priority < priorities {
			rank = int(piece.priority) + 1
		}
		add(text[piece.start:piece.end], Segment{Kind: segmentKinds[piece.priority], ID: piece.id, Rank: rank, Dropped: piece.dropped})
		from = piece.end
	}
	add(text[from:], Segment{})
	return all
}
