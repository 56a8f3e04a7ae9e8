package heartflow

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// Settings are how one chat differs from the Options. A field that is nil or zero is that of the Options, and so is
// each zero field of Caps, Energy and Fresh; a list that is empty and not nil is an empty list.
type Settings struct {
	Off         bool // nothing here calls, nothing is judged or said
	Names       []string
	WakeWords   []string
	Keywords    []string
	Policy      Policy
	ActiveFor   time.Duration
	MaxRenewals int
	Caps        Caps
	Energy      Energy
	Staleness   Staleness
	QuietHours  *QuietHours // one without Spans: at no time
	Limits      *Limits     // of Options.Budget; nil means BudgetOptions.Chat, one of zeros: none
}

// IsZero reports whether s differs in nothing from the Options.
func (s Settings) IsZero() bool { return reflect.ValueOf(s).IsZero() }

// Configure replaces the Settings of chat, also while it is judged. They are copied and hold from the next call on;
// what was heard before calls as it did, and a window that is open ends when it would have. Caps count what was said
// before as far as it is kept: the newest Caps.Replies messages. Invalid Settings are refused as a whole, by an error
// that names the field and what it may be: those before stay. Settings are not in a Snapshot.
func (a *Attention[K]) Configure(chat K, s Settings) error {
	t, err := s.compile(a.o, a.fresh.words) // slow, so before locking
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

// compile checks s and fills it up from o. The words of o are compiled already, or nil.
func (s Settings) compile(o Options, words *lexicon) (*tuning, error) {
	pick := func(own, otherwise []string) []string {
		if own == nil {
			return otherwise
		}
		return own
	}
	names, wakeWords, keywords := pick(s.Names, o.Names), pick(s.WakeWords, o.WakeWords), pick(s.Keywords, o.Keywords)
	caps, energy, fresh := fill.Zero(s.Caps, o.Caps), fill.Zero(s.Energy, o.Energy), fill.Zero(s.Staleness, o.Staleness)
	quiet, policy := cmp.Or(s.QuietHours, &o.QuietHours), cmp.Or(s.Policy, o.Policy)
	if err := cmp.Or(caps.validate(), energy.validate(), fresh.validate(), quiet.validate()); err != nil {
		return nil, err
	}
	if words == nil || s.Names != nil || s.WakeWords != nil || s.Keywords != nil {
		var err error
		if words, err = newLexicon(names, wakeWords, keywords); err != nil {
			return nil, err
		}
	}
	if v, ok := policy.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, fmt.Errorf("heartflow: policy %T: %w", policy, err)
		}
	}
	t := &tuning{
		off: s.Off, policy: policy, words: words, active: cmp.Or(s.ActiveFor, o.ActiveFor), renewals: cmp.Or(s.MaxRenewals, o.MaxRenewals), caps: caps,
		energy: energy, fresh: fresh, back: lookback.ModelOf(policy),
	}
	if s.Limits != nil {
		own := *s.Limits
		t.limits = &own
	}
	if len(quiet.Spans) > 0 {
		t.quiet = &QuietHours{Spans: slices.Clone(quiet.Spans), IgnoreAddressed: quiet.IgnoreAddressed}
	}
	return t, nil
}
