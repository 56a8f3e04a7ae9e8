package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A whatIfForm is the form with the settings to try.
type whatIfForm struct {
	Fields  []whatIfField
	Invalid bool
	State   string // of the chat in Heart Flow Chat
	Range   string // "hour" or "all"
	Changed bool   // a field is set
}

// A whatIfField is one setting. An empty value changes nothing.
type whatIfField struct {
	Name, Value string
	Options     []whatIfOption // nil for a field with text
	Number      bool
	Current     string // the value in effect; "" if it is that of the program
	Error       string
}

// A whatIfOption is a choice.
type whatIfOption struct{ Value, Text string }

// emptyList is what people write for an empty list.
const emptyList = "-"

// errInvalid marks a value that cannot be read.
var errInvalid = fmt.Errorf("inspect: the value cannot be read")

// A whatIfSetting reads and shows one field of the settings.
type whatIfSetting struct {
	name   string
	kind   string // list, flag, number or policy
	set    func(s *social.ChatSettings, value string) error
	show   func(s social.ChatSettings) string
	number bool
}

// whatIfSettings are the settings that attention depends on, in the order of the form.
func whatIfSettings() []whatIfSetting {
	list := func(name string, at func(*social.ChatSettings) *[]string) whatIfSetting {
		return whatIfSetting{name: name, kind: "list",
			set:  func(s *social.ChatSettings, v string) error { *at(s) = words(v); return nil },
			show: func(s social.ChatSettings) string { return shown(*at(&s)) },
		}
	}
	flag := func(name string, at func(*social.ChatSettings) **bool) whatIfSetting {
		return whatIfSetting{name: name, kind: "flag",
			set: func(s *social.ChatSettings, v string) error {
				if v != "yes" && v != "no" {
					return errInvalid
				}
				is := v == "yes"
				*at(s) = &is
				return nil
			},
			show: func(s social.ChatSettings) string {
				if is := *at(&s); is != nil {
					return map[bool]string{true: "yes", false: "no"}[*is]
				}
				return ""
			},
		}
	}
	number := func(name string, at func(*social.ChatSettings) *int) whatIfSetting {
		return whatIfSetting{name: name, number: true,
			set: func(s *social.ChatSettings, v string) error {
				n, err := strconv.Atoi(v)
				if err != nil || n < 1 || n > 1_000_000 {
					return errInvalid
				}
				*at(s) = n
				return nil
			},
			show: func(s social.ChatSettings) string {
				if n := *at(&s); n != 0 {
					return strconv.Itoa(n)
				}
				return ""
			},
		}
	}
	return []whatIfSetting{
		{name: "policy", kind: "policy", set: func(s *social.ChatSettings, v string) error { s.Policy = v; return nil }, show: func(s social.ChatSettings) string { return s.Policy }},
		list("names", func(s *social.ChatSettings) *[]string { return &s.Names }),
		list("wake_words", func(s *social.ChatSettings) *[]string { return &s.WakeWords }),
		list("keywords", func(s *social.ChatSettings) *[]string { return &s.Keywords }),
		list("banned_words", func(s *social.ChatSettings) *[]string { return &s.BannedWords }),
		{name: "quiet_hours", kind: "list", set: setQuietHours, show: func(s social.ChatSettings) string {
			var spans []string
			for _, span := range s.QuietHours {
				spans = append(spans, span.String())
			}
			return shown(spans)
		}},
		number("max_replies", func(s *social.ChatSettings) *int { return &s.MaxReplies }),
		number("max_replies_per_person", func(s *social.ChatSettings) *int { return &s.MaxRepliesPerPerson }),
		number("max_interjections", func(s *social.ChatSettings) *int { return &s.MaxInterjections }),
		number("window_minutes", func(s *social.ChatSettings) *int { return &s.WindowMinutes }),
		number("max_consecutive", func(s *social.ChatSettings) *int { return &s.MaxConsecutive }),
		flag("speak_less", func(s *social.ChatSettings) **bool { return &s.SpeakLess }),
		flag("no_focus", func(s *social.ChatSettings) **bool { return &s.NoFocus }),
		flag("off", func(s *social.ChatSettings) **bool { return &s.Off }),
	}
}

func setQuietHours(s *social.ChatSettings, v string) error {
	s.QuietHours = []heartflow.Span{}
	for _, w := range words(v) {
		var span heartflow.Span
		if span.UnmarshalText([]byte(w)) != nil {
			return errInvalid
		}
		s.QuietHours = append(s.QuietHours, span)
	}
	return nil
}

// words splits a list at commas and line breaks.
func words(v string) []string {
	all := []string{}
	if v == emptyList {
		return all
	}
	for _, w := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(",，、;；\n\r", r) }) {
		if w = strings.TrimSpace(w); w != "" {
			all = append(all, w)
		}
	}
	return all
}

// shown returns a list as in the form; "" for nil.
func shown(list []string) string {
	if list != nil && len(list) == 0 {
		return emptyList
	}
	return strings.Join(list, "，")
}

// whatIfForm reads the form of a request. Each field is checked alone, so that its error stands beside it.
func (p *page) whatIfForm(chat persona.Chat) (f whatIfForm, settings social.ChatSettings) {
	current, defaults, policies := p.feed.Bot.Settings(chat), p.feed.Bot.ChatDefaults(chat).ChatSettings, p.feed.Bot.Policies()
	flow := p.feed.Bot.ChatStatus(chat).GlobalState != ""
	f.Range = "all"
	if p.r.FormValue("range") != "all" {
		f.Range = "hour"
	}
	for _, s := range whatIfSettings() {
		if !flow && (s.name == "speak_less" || s.name == "no_focus") {
			continue
		}
		field := whatIfField{Name: s.name, Value: strings.TrimSpace(p.r.FormValue(s.name)), Number: s.number, Current: cmp.Or(s.show(current), s.show(defaults))}
		switch s.kind {
		case "policy":
			for _, name := range policies {
				field.Options = append(field.Options, whatIfOption{name, p.policyText(name)})
			}
			field.Current = p.policyText(field.Current)
		case "flag":
			field.Options = []whatIfOption{{"yes", p.T("whatifYes")}, {"no", p.T("whatifNo")}}
			field.Current = map[string]string{"yes": p.T("whatifYes"), "no": p.T("whatifNo")}[field.Current]
		}
		if field.Value != "" {
			f.Changed = true
			alone := social.ChatSettings{}
			err := s.set(&alone, field.Value)
			switch {
			case s.kind == "policy" && !slices.Contains(policies, field.Value):
				err = errInvalid
			case s.kind != "policy":
				err = cmp.Or(err, alone.Validate(nil))
			}
			if err != nil {
				field.Error, f.Invalid = p.T("whatifBad_"+s.name), true
			} else {
				_ = s.set(&settings, field.Value)
			}
		}
		f.Fields = append(f.Fields, field)
		if s.kind == "policy" && flow {
			state := p.stateField()
			f.State, f.Invalid, f.Changed = state.Value, f.Invalid || state.Error != "", f.Changed || state.Value != ""
			f.Fields = append(f.Fields, state)
		}
	}
	return f, settings
}

// stateField returns the field of the state in Heart Flow Chat.
func (p *page) stateField() whatIfField {
	field := whatIfField{Name: "state", Value: p.r.FormValue("state")}
	for _, state := range []string{"absent", "chat", "focused"} {
		field.Options = append(field.Options, whatIfOption{state, p.reason(heartflow.Code(state))})
	}
	if field.Value != "" && !slices.ContainsFunc(field.Options, func(o whatIfOption) bool { return o.Value == field.Value }) {
		field.Error = p.T("whatifBad_state")
	}
	return field
}

// policyText returns the name of a policy with its meaning, if the pages know it.
func (p *page) policyText(name string) string {
	if text := p.T("whatifPolicy_" + name); text != "whatifPolicy_"+name {
		return name + " · " + text
	}
	return name
}
