package heartflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Staleness says how long a reply stays right while it is being thought of. [Attention.Speak] tests that, beside MaxAge, for
// a turn that was judged; one that was begun without a call answers nothing. An uncalled reply is also not said when,
// since its verdict, somebody has turned to the one whom it would answer, by an @ or a quote.
type Staleness struct {
	// An uncalled reply is not said when more messages than this have come since its verdict. 0 means 10: that is a whole
	// batch of the buffer, and has a verdict of its own. Negative: any number.
	MaxNewer int
	// The same for a called reply. 0 or negative: any number, because who calls waits for an answer.
	MaxNewerAddressed int
	// An uncalled reply is not said when it is nearly the same as an own message within this time, nor is any reply said
	// twice in one turn. 0 means 10 minutes, negative: both may be.
	RepeatWindow time.Duration
	// From this share of common words on, Han characters counted in pairs, two messages are nearly the same; with fewer
	// than three words none is. 0 means .7, at most 1.
	Similarity float64
	// How often in a row a turn is superseded, because the one whom it would answer writes on, before it is answered.
	// 0 means 2, negative: never.
	MaxSuperseded int
}

var defaultFresh = Staleness{MaxNewer: 10, MaxNewerAddressed: -1, RepeatWindow: 10 * time.Minute, Similarity: .7, MaxSuperseded: 2}

func (f Staleness) validate() error {
	if f.Similarity != 0 && !(f.Similarity > 0 && f.Similarity <= 1) {
		return fmt.Errorf("heartflow: Fresh.Same is %v: it must be above 0 and at most 1, or 0 for the default", f.Similarity)
	}
	return nil
}

// heard takes a message that comes while the turn is open, and reports whether it supersedes the turn: the one whom it
// would answer writes on before it has spoken.
func (u *turn) heard(m *Message, patience int) (supersedes bool) {
	if !u.Open && !u.judging {
		return false
	}
	u.Newer++
	author := u.Batch.author()
	switch {
	case author == "" || u.Spoke:
	case m.From == author:
		return u.Open && !m.Replayed && u.Again < patience
	case slices.Contains(m.Addressees, author):
		u.Answered = true
	}
	return false
}

// recheck tests whether words, given by their terms, are still right at t, and appends the gates that mattered to list.
func (c *chat[K]) recheck(t tick.Tick, words []uint32, list []Gate) (all []Gate, shut Code) {
	f, u := c.tuning.fresh, &c.turn
	if u.Begun {
		return list, ""
	}
	if lines := u.lines(f); !u.Spoke && lines > 0 && u.Newer > 0 {
		g := Gate{Code: WhyPassed, Value: float64(u.Newer), Threshold: float64(lines), Pass: u.Newer <= lines}
		if list = append(list, g); !g.Pass {
			return list, WhyPassed
		}
	}
	if !u.Spoke && !u.Called && u.Answered {
		return append(list, Gate{Code: WhyAnswered}), WhyAnswered
	}
	if f.RepeatWindow < 0 {
		return list, ""
	}
	since := t.Add(-f.RepeatWindow)
	if u.Called {
		since = max(since, u.At)
	}
	if same := c.Lines.like(words, since); same > 0 {
		g := Gate{Code: WhyRepeated, Value: same, Threshold: f.Similarity, Pass: same < f.Similarity}
		if list = append(list, g); !g.Pass {
			return list, WhyRepeated
		}
	}
	return list, ""
}

// lines is how many newer messages the turn stands; not above 0: any number.
func (u *turn) lines(f Staleness) int {
	if u.Called {
		return f.MaxNewerAddressed
	}
	return f.MaxNewer
}

// A line is an own message, as a sketch of what it was about: the least of its terms, which for most chat are all.
type line struct {
	At    tick.Tick
	Terms []uint32
}

const (
	maxLines   = 4  // kept of a chat
	lineTerms  = 16 // kept of a line
	shortTerms = 3  // with fewer a line is too short to compare: people say "yes, yes" too
)

type lines []line

// add keeps an own message, by its sorted terms.
func (l *lines) add(t tick.Tick, words []uint32) {
	if len(words) < shortTerms {
		return
	}
	var terms []uint32
	if len(*l) == maxLines {
		terms = (*l)[0].Terms[:0]
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, line{At: t, Terms: append(terms, words[:min(len(words), lineTerms)]...)})
}

// like is the largest share of terms that words have in common with a line since then.
func (l lines) like(words []uint32, since tick.Tick) (most float64) {
	if len(words) < shortTerms {
		return 0
	}
	for i := range l {
		if l[i].At >= since {
			most = max(most, alike(l[i].Terms, words))
		}
	}
	return most
}

// alike estimates the share of the terms of two sorted lists that both have, by the least of them all.
func alike(a, b []uint32) float64 {
	n, both := 0, 0
	for n < lineTerms && (len(a) > 0 || len(b) > 0) {
		switch n++; {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	return float64(both) / float64(max(n, 1))
}

func (l lines) valid() bool {
	return len(l) <= maxLines && !slices.ContainsFunc(l, func(e line) bool {
		return e.At < 0 || len(e.Terms) > lineTerms || !slices.IsSorted(e.Terms)
	})
}

// save copies l.
func (l lines) save() (kept lines) {
	for _, e := range l {
		kept = append(kept, line{At: e.At, Terms: slices.Clone(e.Terms)})
	}
	return kept
}
