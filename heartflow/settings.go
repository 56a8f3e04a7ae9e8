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

// Settings override the Options in one chat. A nil or zero field keeps the value of the Options, and so does each
// zero field of Caps, Energy and Staleness. An empty list that is not nil overrides with an empty list.
type Settings struct {
	Off         bool // the chat is ignored: no message addresses the bot, nothing is judged or sent
	Names       []string
	WakeWords   []string
	Keywords    []string
	Policy      Policy
	ActiveFor   time.Duration
	MaxRenewals int
	Caps        Caps
	Energy      Energy
	Staleness   Staleness
	QuietHours  *QuietHours // no Spans means no quiet hours
	Begin       *Begin      // a zero Silence is that of the Options
	Limits      *Limits     // of Options.Budget; nil means BudgetOptions.PerChat, the zero value means no limit
}

// IsZero reports whether s overrides nothing.
func (s Settings) IsZero() bool { return reflect.ValueOf(s).IsZero() }

// Configure replaces the Settings of chat, also during a Judge. It copies them, and they apply from the next call on.
// Older messages keep the reasons for which they address the bot. A running Active or Addressed period keeps its end.
// Caps count older messages as far as they are kept, up to the old Caps.Replies. If s is invalid, the error names the
// field and its allowed values, and the old Settings stay. Snapshots do not contain Settings.
func (a *Attention[K]) Configure(chat K, s Settings) error {
	t, err := s.compile(a.o, a.defaults.lexicon) // slow, so before the lock
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settings[chat] = t
	if c := a.chats[chat]; c != nil {
		c.settings = t
		c.silence.schedule(a, a.now)
	}
	return nil
}

// compile validates s and fills it up from o. words are the compiled words of o, or nil.
func (s Settings) compile(o Options, words *lexicon) (*compiledSettings, error) {
	pick := func(own, otherwise []string) []string {
		if own == nil {
			return otherwise
		}
		return own
	}
	names, wakeWords, keywords := pick(s.Names, o.Names), pick(s.WakeWords, o.WakeWords), pick(s.Keywords, o.Keywords)
	caps, energy, staleness := fill.Zero(s.Caps, o.Caps), fill.Zero(s.Energy, o.Energy), fill.Zero(s.Staleness, o.Staleness)
	quiet, policy := cmp.Or(s.QuietHours, &o.QuietHours), cmp.Or(s.Policy, o.Policy)
	begin := cmp.Or(s.Begin, o.Begin)
	if err := cmp.Or(caps.validate(), energy.validate(), staleness.validate(), quiet.validate(), begin.validate()); err != nil {
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
	t := &compiledSettings{
		off: s.Off, policy: policy, lexicon: words, activeFor: cmp.Or(s.ActiveFor, o.ActiveFor), maxRenewals: cmp.Or(s.MaxRenewals, o.MaxRenewals), caps: caps,
		energy: energy, staleness: staleness, model: lookback.ModelOf(policy),
	}
	if s.Limits != nil {
		own := *s.Limits
		t.limits = &own
	}
	if begin != nil && !begin.Off {
		own := *begin
		if own.Silence == 0 && o.Begin != nil {
			own.Silence = o.Begin.Silence
		}
		own = own.withDefaults()
		t.begin = &own
	}
	if len(quiet.Spans) > 0 {
		t.quietHours = &QuietHours{Spans: slices.Clone(quiet.Spans), IgnoreAddressed: quiet.IgnoreAddressed}
	}
	return t, nil
}
