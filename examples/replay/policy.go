package main

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/hearth-bot/hearth/internal/whentospeak/baseline"
)

// A variant is a policy with its parameters.
type variant struct {
	name   string
	policy heartflow.Policy
	flow   *hfc.Options // Heart Flow Chat in place of a policy; else nil
}

// policies are the available policies. The first is the default.
var policies = []struct {
	name  string
	parse func(parameters string, v *variant) error
}{
	{"learned", parsePolicy(learned.New)},
	{"mention", parsePolicy(value[heartflow.MentionOnly])},
	{"partner", parsePolicy(baseline.NewPartner)},
	{"necessity", parsePolicy(baseline.NewNecessity)},
	{"interject", parsePolicy(value[heartflow.Interject])},
	{"hfc", func(parameters string, v *variant) error {
		v.flow = new(hfc.Options)
		if err := set(reflect.ValueOf(v.flow).Elem(), parameters); err != nil {
			return err
		}
		return v.flow.Validate()
	}},
}

// parsePolicy reads the options of a policy, of which the policy is made.
func parsePolicy[O any, P heartflow.Policy](make func(O) (P, error)) func(string, *variant) error {
	return func(parameters string, v *variant) error {
		var o O
		if err := set(reflect.ValueOf(&o).Elem(), parameters); err != nil {
			return err
		}
		p, err := make(o)
		if err != nil {
			return err
		}
		v.policy = p
		return heartflow.Options{Policy: p}.Validate()
	}
}

// value is for a policy that is its own options.
func value[P heartflow.Policy](p P) (P, error) { return p, nil }

// needsOwnReplies reports whether a policy continues a conversation only after it has spoken itself.
func (v variant) needsOwnReplies() bool {
	_, is := v.policy.(heartflow.Interject)
	return is
}

// options returns the options of a bot with these names. Names that heartflow rejects are left out.
func (v variant) options(seed uint64, names ...string) heartflow.Options {
	usable := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return checkName(n) != nil })
	return heartflow.Options{Policy: v.policy, Seed: seed, Names: usable, KeepTraces: -1}
}

func checkName(name string) error { return heartflow.Options{Names: []string{name}}.Validate() }

// newAttention returns an Attention, or a Flow over one. A Flow is returned twice.
func (v variant) newAttention(o heartflow.Options) (attention, *hfc.Flow[string], error) {
	if v.flow == nil {
		attention, err := heartflow.New[string](o)
		return attention, nil, err
	}
	options := *v.flow
	options.Attention = o
	options.AnswerQuestion = func(hfc.Question) bool { return true } // its limits apply, and the cycle decides about the answer
	flow, err := hfc.New[string](options)
	return flow, flow, err
}

// speaks reports whether a verdict means to speak without asking a model.
func (v variant) speaks(d heartflow.Verdict) bool { return whentospeak.Speaks(v.policy, d) }

// play lets the variant play a speaker of a log.
func (v variant) play(l *whentospeak.Log, as string, o heartflow.Options) (iter.Seq[whentospeak.Decision], error) {
	heart, _, err := v.newAttention(o)
	if err != nil {
		return nil, err
	}
	return whentospeak.PlayOn(l, as, heart, v.speaks), nil
}

const firstPolicy = "learned"

func policyNames() string {
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

func parseVariants(s string) (vs []variant, err error) {
	for _, spec := range program.List(s) {
		v, err := parseVariant(spec)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	if len(vs) == 0 {
		return nil, lang.Errorf("一个也没写：%s", "none is named: %s", policyNames())
	}
	return vs, nil
}

// parseVariant parses a name with parameters, for example interject:base=.1:partner=.8.
func parseVariant(spec string) (v variant, err error) {
	name, parameters, _ := strings.Cut(spec, ":")
	for _, p := range policies {
		if p.name != name {
			continue
		}
		v := variant{name: spec}
		if err := p.parse(parameters, &v); err != nil {
			return v, fmt.Errorf("%s: %w", name, err)
		}
		return v, nil
	}
	return v, lang.Errorf("没有 %q：%s", "%q is unknown: %s", name, policyNames())
}

// set sets the fields of a struct.
func set(to reflect.Value, parameters string) error {
	for _, p := range strings.FieldsFunc(parameters, func(r rune) bool { return r == ':' }) {
		key, value, ok := strings.Cut(p, "=")
		if !ok {
			return lang.Errorf("%q 不是参数：写成 名字=值", "%q is no parameter: name=value", p)
		}
		field := to.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, key) })
		if !field.IsValid() || !field.CanSet() {
			return lang.Errorf("它没有参数 %q：%s", "it has no parameter %q: %s", key, fields(to.Type()))
		}
		if err := setField(field, value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func setField(to reflect.Value, value string) error {
	if to.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(value)
		to.SetInt(int64(d))
		return err
	}
	switch to.Kind() {
	case reflect.Float64:
		f, err := strconv.ParseFloat(value, 64)
		to.SetFloat(f)
		return err
	case reflect.Int:
		n, err := strconv.Atoi(value)
		to.SetInt(int64(n))
		return err
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		to.SetBool(b)
		return err
	}
	return fmt.Errorf("a %v can't be given here", to.Type())
}

// fields lists the parameters of a policy.
func fields(t reflect.Type) string {
	var names []string
	for i := range t.NumField() {
		switch f := t.Field(i); f.Type.Kind() {
		case reflect.Float64, reflect.Int, reflect.Int64, reflect.Bool:
			names = append(names, strings.ToLower(f.Name))
		}
	}
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}
