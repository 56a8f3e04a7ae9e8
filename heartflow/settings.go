package heartflow

import (
	"fmt"
	"slices"
)

// Settings are how one chat differs from the Options. A nil field is that of the Options; a list that is empty and
// not nil is an empty list.
type Settings struct {
	Off       bool // nothing here calls, nothing is judged or said
	Names     []string
	WakeWords []string
	Keywords  []string
	Policy    Policy
}

// Configure replaces the Settings of chat. They are copied and hold from the next message on; what was heard before
// calls as it did. Invalid ones are refused as a whole: those before stay. Settings are not in a Snapshot.
func (a *Attention[K]) Configure(chat K, s Settings) error {
	t, err := s.compile(a.o) // slow, so before locking
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tunings[chat] = t
	if c := a.chats[chat]; c != nil {
		c.tuning = t
	}
	return nil
}

// A tuning is Settings in use. It does not change.
type tuning struct {
	off    bool
	policy Policy
	words  *lexicon
}

// maxWords bounds each list of words.
const maxWords = 1000

func (s Settings) compile(o Options) (*tuning, error) {
	pick := func(own, otherwise []string) []string {
		if own == nil {
			return otherwise
		}
		return own
	}
	names, wakeWords, keywords := pick(s.Names, o.Names), pick(s.WakeWords, o.WakeWords), pick(s.Keywords, o.Keywords)
	if n := len(slices.MaxFunc([][]string{names, wakeWords, keywords}, func(a, b []string) int { return len(a) - len(b) })); n > maxWords {
		return nil, fmt.Errorf("heartflow: a list of %d words is longer than %d", n, maxWords)
	}
	words, err := newLexicon(names, wakeWords, keywords)
	if err != nil {
		return nil, err
	}
	policy := s.Policy
	if policy == nil {
		policy = o.Policy
	}
	if v, ok := policy.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, fmt.Errorf("heartflow: policy %T: %w", policy, err)
		}
	}
	return &tuning{off: s.Off, policy: policy, words: words}, nil
}
