// Package settings holds the settings of chats that can change while the bot runs. The host's file has one layer of
// them. [Overrides.Set] makes the other one, which wins and survives a restart. An override ends when the file gives
// its key another value than the one that it replaced.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Chat is documented in package social, as ChatSettings.
type Chat struct {
	Off                 *bool            `json:"off,omitzero"`
	Names               []string         `json:"names,omitzero"`
	WakeWords           []string         `json:"wake_words,omitzero"`
	Keywords            []string         `json:"keywords,omitzero"`
	Policy              string           `json:"policy,omitzero"`
	SpeakLess           *bool            `json:"speak_less,omitzero"`
	NoFocus             *bool            `json:"no_focus,omitzero"`
	Begins              *bool            `json:"begins,omitzero"`
	Public              *bool            `json:"public,omitzero"`
	BannedWords         []string         `json:"banned_words,omitzero"`
	BannedPatterns      []string         `json:"banned_patterns,omitzero"`
	QuietHours          []heartflow.Span `json:"quiet_hours,omitzero"`
	MaxReplies          int              `json:"max_replies,omitzero"`
	MaxRepliesPerPerson int              `json:"max_replies_per_person,omitzero"`
	MaxInterjections    int              `json:"max_interjections,omitzero"`
	WindowMinutes       int              `json:"window_minutes,omitzero"`
	MaxConsecutive      int              `json:"max_consecutive,omitzero"`
	HourTokens          int              `json:"hour_tokens,omitzero"`
	DayTokens           int              `json:"day_tokens,omitzero"`
}

// IsZero reports whether s sets nothing.
func (s Chat) IsZero() bool { return reflect.ValueOf(s).IsZero() }

// over returns the fields of s, and those of base where s sets none.
func (s Chat) over(base Chat) Chat {
	to, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(base)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return s
}

// withoutChanged returns s without the fields that differ between before and after.
func (s Chat) withoutChanged(before, after Chat) Chat {
	to, old, is := reflect.ValueOf(&s).Elem(), reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range to.NumField() {
		if !reflect.DeepEqual(old.Field(i).Interface(), is.Field(i).Interface()) {
			to.Field(i).SetZero()
		}
	}
	return s
}

// Validate returns an error that names the invalid setting. policies are the host's policies by name.
func (s Chat) Validate(policies map[string]heartflow.Policy) error {
	o, err := s.apply(engine.ChatOptions{}, policies)
	if err != nil {
		return err
	}
	a, err := heartflow.New[string](heartflow.Options{Seed: 1})
	if err != nil {
		return err
	}
	return a.Configure("", o.Attention)
}

// apply returns o with the settings.
func (s Chat) apply(o engine.ChatOptions, policies map[string]heartflow.Policy) (engine.ChatOptions, error) {
	for _, b := range []struct {
		from *bool
		to   *bool
	}{{s.Off, &o.Off}, {s.SpeakLess, &o.SpeakLess}, {s.NoFocus, &o.NoFocus}, {s.Public, &o.Public}} {
		if b.from != nil {
			*b.to = *b.from
		}
	}
	a := &o.Attention
	if s.Begins != nil {
		a.Begin = &heartflow.Begin{Off: !*s.Begins}
	}
	for _, l := range []struct {
		from []string
		to   *[]string
	}{{s.Names, &a.Names}, {s.WakeWords, &a.WakeWords}, {s.Keywords, &a.Keywords}} {
		if l.from != nil {
			*l.to = l.from
		}
	}
	if s.Policy != "" {
		if a.Policy = PolicyOf(s.Policy, policies); a.Policy == nil {
			return o, fmt.Errorf("%q is no policy: %v", s.Policy, strings.Join(policyNames(policies), ", "))
		}
	}
	if s.QuietHours != nil {
		q := heartflow.QuietHours{}
		if a.QuietHours != nil {
			q = *a.QuietHours
		}
		q.Spans = s.QuietHours
		a.QuietHours = &q
	}
	if min(s.MaxReplies, s.MaxRepliesPerPerson, s.MaxInterjections, s.WindowMinutes, s.MaxConsecutive, s.HourTokens, s.DayTokens) < 0 {
		return o, errors.New("max_replies, max_replies_per_person, max_interjections, window_minutes, max_consecutive, hour_tokens and day_tokens must not be negative")
	}
	if s.HourTokens > 0 || s.DayTokens > 0 {
		l := heartflow.Limits{}
		if a.Limits != nil {
			l = *a.Limits
		}
		l.HourTokens, l.DayTokens = cmp.Or(s.HourTokens, l.HourTokens), cmp.Or(s.DayTokens, l.DayTokens)
		a.Limits = &l
	}
	a.Caps.Replies, a.Caps.Consecutive = cmp.Or(s.MaxReplies, a.Caps.Replies), cmp.Or(s.MaxConsecutive, a.Caps.Consecutive)
	a.Caps.RepliesPerPerson, a.Caps.Interjections = cmp.Or(s.MaxRepliesPerPerson, a.Caps.RepliesPerPerson), cmp.Or(s.MaxInterjections, a.Caps.Interjections)
	a.Caps.Window = cmp.Or(time.Duration(s.WindowMinutes)*time.Minute, a.Caps.Window)
	if s.BannedWords != nil || s.BannedPatterns != nil {
		f, err := heartflow.NewFilter(s.BannedWords, s.BannedPatterns)
		if err != nil {
			return o, err
		}
		o.Banned = f
	}
	return o, nil
}

// without returns the fields of s that kept has not.
func (s Chat) without(kept Chat) Chat {
	to, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(kept)
	for i := range to.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).SetZero()
		}
	}
	return s
}

func equal(x, y Chat) bool { return reflect.DeepEqual(x, y) }
