package inspect

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A settingsForm has a field for each setting of a chat.
type settingsForm struct {
	Chat    persona.Chat
	Fields  []settingField
	Mistake string // of the whole form; "" for none
	Changed bool   // the chat has overrides
}

// A settingField is a setting in a form.
type settingField struct {
	Name    string   // JSON name
	Kind    string   // "choice", "list" or "number"
	Value   string   // "" means the default
	None    bool     // an empty list overrides the default
	Default string   // as people read it
	Choices []choice // of a choice, without that for the default
	Mistake string   // "" for none
}

// settingsPath returns the path of a chat's settings.
func (p *page) settingsPath(c persona.Chat) string {
	return "settings?" + url.Values{"chat": {c.String()}}.Encode()
}

// SettingsURL returns the address of a chat's settings.
func (p *page) SettingsURL(c persona.Chat) string { return p.Base() + p.settingsPath(c) }

// newForm returns the form with the overrides s of a chat.
func (p *page) newForm(c persona.Chat, s social.ChatSettings, defaults social.ChatDefaults) settingsForm {
	form := settingsForm{Chat: c, Changed: !reflect.ValueOf(s).IsZero()}
	is, below := reflect.ValueOf(s), reflect.ValueOf(defaults.ChatSettings)
	for i := range is.NumField() {
		name, _, _ := strings.Cut(is.Type().Field(i).Tag.Get("json"), ",")
		f := settingField{Name: name, Default: p.defaultText(name, below.Field(i))}
		f.Value, f.None = formText(is.Field(i))
		switch is.Field(i).Interface().(type) {
		case *bool:
			f.Kind, f.Choices = "choice", []choice{{"true", p.T("yes")}, {"false", p.T("no")}}
		case string:
			f.Kind = "choice"
			for _, name := range defaults.Policies {
				f.Choices = append(f.Choices, choice{name, p.policyText(name)})
			}
		case int:
			f.Kind = "number"
		default:
			f.Kind = "list"
		}
		form.Fields = append(form.Fields, f)
	}
	return form
}

// formText returns a value as the text of an input. none reports whether it is an empty list that overrides.
func formText(v reflect.Value) (text string, none bool) {
	switch x := v.Interface().(type) {
	case *bool:
		if x != nil {
			text = strconv.FormatBool(*x)
		}
	case string:
		text = x
	case int:
		if x != 0 {
			text = strconv.Itoa(x)
		}
	case []string:
		return strings.Join(x, "\n"), x != nil && len(x) == 0
	case []heartflow.Span:
		lines := make([]string, len(x))
		for i, s := range x {
			lines[i] = s.String()
		}
		return strings.Join(lines, "\n"), x != nil && len(x) == 0
	}
	return text, false
}

// defaultText returns the default of a setting, as people read it.
func (p *page) defaultText(name string, v reflect.Value) string {
	text, _ := formText(v)
	switch {
	case name == "policy" && text == "":
		return p.T("ownPolicy")
	case name == "policy":
		return p.policyText(text)
	case name == "hour_tokens" && text == "", name == "day_tokens" && text == "":
		return p.T("noLimit")
	case text == "true":
		return p.T("yes")
	case text == "false":
		return p.T("no")
	case text == "":
		return p.T("nothing")
	}
	return strings.ReplaceAll(text, "\n", p.T("comma"))
}

// read reads the form that was sent. ok is false if a field is not valid, and the form then has what was written, with the
// mistakes.
func (f *settingsForm) read(p *page) (s social.ChatSettings, ok bool) {
	ok = true
	to := reflect.ValueOf(&s).Elem()
	for i := range f.Fields {
		field := &f.Fields[i]
		field.Value, field.None = strings.TrimSpace(p.r.PostFormValue(field.Name)), p.r.PostFormValue(field.Name+"_none") != ""
		if key := field.into(to.Field(i)); key != "" {
			field.Mistake, ok = p.T(key), false
		}
	}
	return s, ok
}

// into parses the field into a setting. It returns the key of the text that explains a mistake, or "".
func (f *settingField) into(to reflect.Value) (mistake string) {
	lines := strings.FieldsFunc(f.Value, func(r rune) bool { return r == '\n' || r == '\r' })
	switch to.Interface().(type) {
	case *bool:
		if yes, err := strconv.ParseBool(f.Value); err == nil {
			to.Set(reflect.ValueOf(&yes))
		}
	case string:
		to.SetString(f.Value)
	case int:
		n, err := strconv.Atoi(f.Value)
		if f.Value != "" && (err != nil || n < 0) {
			return "badNumber"
		}
		to.SetInt(int64(n))
	case []string:
		var all []string
		for _, line := range lines {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
		if all == nil && f.None {
			all = []string{}
		}
		to.Set(reflect.ValueOf(all))
	case []heartflow.Span:
		var all []heartflow.Span
		for _, line := range lines {
			var span heartflow.Span
			if strings.TrimSpace(line) == "" {
				continue
			}
			if span.UnmarshalText([]byte(strings.TrimSpace(line))) != nil {
				return "badSpan"
			}
			all = append(all, span)
		}
		if all == nil && f.None {
			all = []heartflow.Span{}
		}
		to.Set(reflect.ValueOf(all))
	}
	return ""
}

// explain shows why the settings were not accepted, at the field that is not valid by itself if there is one.
func (f *settingsForm) explain(s social.ChatSettings, refused error) {
	f.Mistake = refused.Error()
	from := reflect.ValueOf(s)
	for i := range f.Fields {
		if f.Fields[i].Name == "policy" { // the page does not know the policies of the program
			continue
		}
		var one social.ChatSettings
		reflect.ValueOf(&one).Elem().Field(i).Set(from.Field(i))
		if err := one.Validate(nil); err != nil {
			f.Fields[i].Mistake = err.Error()
		}
	}
}

// Lines returns how many lines an input needs.
func (f settingField) Lines() int { return min(max(strings.Count(f.Value, "\n")+1, 2), 8) }

// Label returns the key of the label.
func (f settingField) Label() string { return "set_" + f.Name }

// Help returns the key of the explanation.
func (f settingField) Help() string { return "set_" + f.Name + "_help" }

// SettingValue returns the value of a field, as people read it.
func (p *page) SettingValue(f settingField) string {
	switch {
	case f.None:
		return p.T("nobodySees")
	case f.Name == "policy":
		return p.policyText(f.Value)
	case f.Value == "true":
		return p.T("yes")
	case f.Value == "false":
		return p.T("no")
	}
	return strings.ReplaceAll(f.Value, "\n", p.T("comma"))
}
