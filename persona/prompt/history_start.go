package prompt

import (
	"cmp"
	"math"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// fewMessages is the number of messages that may take twice as much of a prompt as more messages. Where a turn adds many
// tokens, a history of the usual size would be dropped every few turns.
const fewMessages = 80

// HistoryStart returns the index of the first message that a prompt should show. messages are oldest first. It returns
// the same message for many turns, and then drops many messages at once. Consecutive prompts then start with the same
// text, and providers can cache it.
//
// previous is the time of the first message in the previous prompt of this chat; zero means that there was none. The
// start stays there while messages has that message and the history takes at most two fifths of budget, or four fifths if
// it has at most 80 messages. Otherwise the history becomes the last least messages if they fit into a sixth of budget, or
// else as many as fit into a tenth.
// budget is that of [Scene.Budget]. All messages before the last least ones serve only caching:
// their number is [Scene.CachePrefix].
//
// The caller keeps the time of the returned message for the next call. Without it, after a restart, the provider reads one
// prompt anew.
func HistoryStart(messages []persona.Message, previous time.Time, least, budget int) int {
	if len(messages) == 0 {
		return 0
	}
	if budget = cmp.Or(budget, defaultBudget); budget < 0 {
		budget = math.MaxInt32
	}
	if !previous.IsZero() && !messages[0].At.After(previous) {
		i := firstSince(messages, previous)
		if shown := messages[i:]; fits(shown, budget/5*2) || len(shown) <= fewMessages && fits(shown, budget/5*4) {
			return i
		}
	}
	i := max(len(messages)-least, 0)
	if !fits(messages[i:], budget/6) {
		for i < len(messages) && !fits(messages[i:], budget/10) {
			i++
		}
	}
	if i == len(messages) {
		return i
	}
	return firstSince(messages, messages[i].At) // as the next call does: several messages may have the same time
}

// firstSince returns the index of the first message that is not before t, or len(messages).
func firstSince(messages []persona.Message, t time.Time) int {
	for i := range messages {
		if !messages[i].At.Before(t) {
			return i
		}
	}
	return len(messages)
}

// fits reports whether messages have at most limit tokens. A negative limit means no limit.
func fits(messages []persona.Message, limit int) bool {
	for i := range messages {
		m := &messages[i]
		limit -= 20 + Tokens(m.Name) + min(Tokens(m.Text), maxText) // 20: markup, ids and time
		if q := m.Quote; q != nil {
			limit -= 10 + Tokens(q.Name) + min(Tokens(q.Text), maxQuote)
		}
		if limit < 0 {
			return false
		}
	}
	return true
}
