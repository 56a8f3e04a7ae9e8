package heartflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Staleness configures when a late reply is dropped. [Attention.Speak] checks it in addition to MaxAge. It applies to
// judged turns only, because a turn of [Attention.BeginTurn] answers no message. A message that begins a talk (see [Begin]) is
// dropped after any newer message, and if it is a repetition. An interjection is also dropped if
// somebody else addresses the same author after the verdict, by an @ or a quote.
type Staleness struct {
	// Maximum newer messages after the verdict of an interjection. 0 means 10, the size of a buffer's batch, because
	// that batch has its own verdict. Negative means no limit.
	MaxNewer int
	// The same limit for a reply to a message that addresses the bot. 0 or negative means no limit, because the
	// author waits for an answer.
	MaxNewerAddressed int
	// An interjection is dropped if it is nearly the same as an own message within this time. Any reply is dropped if
	// its turn already sent nearly the same. 0 means 10 minutes. Negative disables both checks.
	RepeatWindow time.Duration
	// Share of common words from which two messages are nearly the same. Han characters count in pairs. Messages with
	// fewer than three words never match. 0 means .7, and the maximum is 1.
	Similarity float64
	// How often in a row a batch may be superseded because its author continues. After that it is answered. 0 means
	// 2. Negative means never.
	MaxSuperseded int
}

var defaultStaleness = Staleness{MaxNewer: 10, MaxNewerAddressed: -1, RepeatWindow: 10 * time.Minute, Similarity: .7, MaxSuperseded: 2}

func (f Staleness) validate() error {
	if f.Similarity != 0 && !(f.Similarity > 0 && f.Similarity <= 1) {
		return fmt.Errorf("heartflow: Staleness.Similarity is %v: it must be above 0 and at most 1, or 0 for the default", f.Similarity)
	}
	return nil
}

// observe counts a message received while the turn is open. It reports whether the message supersedes the turn: the
// author it would answer continues before the bot has spoken.
func (u *turn) observe(m *Message, maxSuperseded int) (supersedes bool) {
	if !u.Open && !u.judging {
		return false
	}
	u.Newer++
	author := u.Batch.author()
	switch {
	case author == "" || u.Spoke:
	case m.From == author:
		return u.Open && !m.Replayed && u.Again < maxSuperseded
	case slices.Contains(m.Addressees, author):
		u.Answered = true
	}
	return false
}

// checkStaleness checks whether a reply with these terms is stale at t. It appends the relevant gates to list.
func (c *chat[K]) checkStaleness(t tick.Tick, words []uint32, list []Gate) (all []Gate, blocked Code) {
	f, u := c.settings.staleness, &c.turn
	if u.Begun && !u.Begins {
		return list, ""
	}
	if u.Begins && !u.Spoke && u.Newer > 0 { // the silence is over
		return append(list, Gate{Code: WhyPassed, Value: float64(u.Newer)}), WhyPassed
	}
	if lines := u.maxNewer(f); !u.Spoke && lines > 0 && u.Newer > 0 {
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
	if same := c.Lines.maxSimilarity(words, since); same > 0 {
		g := Gate{Code: WhyRepeated, Value: same, Threshold: f.Similarity, Pass: same < f.Similarity}
		if list = append(list, g); !g.Pass {
			return list, WhyRepeated
		}
	}
	return list, ""
}

// maxNewer returns the maximum of newer messages; zero or negative: no limit.
func (u *turn) maxNewer(f Staleness) int {
	if u.Called {
		return f.MaxNewerAddressed
	}
	return f.MaxNewer
}

// An ownMessage is a sketch of one of the bot's messages: its smallest terms. It holds all terms of most chat
// messages.
type ownMessage struct {
	At    tick.Tick
	Terms []uint32
}

const (
	maxOwnMessages = 4  // per chat
	maxTerms       = 16 // per message
	minTerms       = 3  // shorter messages are not compared, because people repeat "yes, yes" too
)

type ownMessages []ownMessage

// add stores an own message by its sorted terms.
func (l *ownMessages) add(t tick.Tick, words []uint32) {
	if len(words) < minTerms {
		return
	}
	var terms []uint32
	if len(*l) == maxOwnMessages {
		terms = (*l)[0].Terms[:0]
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, ownMessage{At: t, Terms: append(terms, words[:min(len(words), maxTerms)]...)})
}

// maxSimilarity returns the highest similarity of words to an own message since that time.
func (l ownMessages) maxSimilarity(words []uint32, since tick.Tick) (most float64) {
	if len(words) < minTerms {
		return 0
	}
	for i := range l {
		if l[i].At >= since {
			most = max(most, similarity(l[i].Terms, words))
		}
	}
	return most
}

// similarity estimates the Jaccard index of two sorted lists of terms, from the smallest terms of both.
func similarity(a, b []uint32) float64 {
	n, both := 0, 0
	for n < maxTerms && (len(a) > 0 || len(b) > 0) {
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

func (l ownMessages) valid() bool {
	return len(l) <= maxOwnMessages && !slices.ContainsFunc(l, func(e ownMessage) bool {
		return e.At < 0 || len(e.Terms) > maxTerms || !slices.IsSorted(e.Terms)
	})
}

// save returns a deep copy of l.
func (l ownMessages) save() (kept ownMessages) {
	for _, e := range l {
		kept = append(kept, ownMessage{At: e.At, Terms: slices.Clone(e.Terms)})
	}
	return kept
}
