package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"go.yaml.in/yaml/v3"
)

// A Model is one model below models: in the file. Empty fields mean those of the flags with these names.
type Model struct {
	Where     string // file, line and purpose, for errors
	Kind      string // model
	Name      string // model-name
	BaseURL   string // base-url
	KeyFile   string // key-file
	TextCalls bool   // text-calls

	Voice       string // voice, of speak
	AudioFormat string // audio-format, of speak
}

// modelsKey is the key of the models by purpose.
const modelsKey = "models"

// modelKeys are the keys of one model. All but audio-format are those of flags.
var modelKeys = []string{"model", "model-name", "base-url", "key-file", "text-calls", "voice", "audio-format"}

// readModels reads the models by purpose. A value is a name, the keys of a model, or a list of these.
func (r *reader) readModels(n *yaml.Node) {
	var all strings.Builder
	for key, value := range r.entries(n, modelsKey, nil) {
		if !slices.Contains(r.o.Purposes, key.Value) {
			r.add(key.Line, "%s：没有 %q 这种用途%s（有 %s）", "%s: unknown purpose %q%s (one of %s)", modelsKey, key.Value, lang.DidYouMean(key.Value, r.o.Purposes), strings.Join(r.o.Purposes, ", "))
			continue
		}
		list := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			list = value.Content
		}
		for _, one := range list {
			m, ok := r.readModel(key.Value, resolved(one))
			if !ok {
				continue
			}
			if r.Models == nil {
				r.Models = map[string][]Model{}
			}
			r.Models[key.Value] = append(r.Models[key.Value], m)
			m.Where = key.Value
			fmt.Fprintln(&all, m)
		}
	}
	r.values[modelsKey] = all.String()
}

// readModel reads one model: a name, or keys. ok is false for null and for mistakes.
func (r *reader) readModel(purpose string, n *yaml.Node) (m Model, ok bool) {
	m.Where = fmt.Sprintf("%s:%d: %s: %s", r.Path, n.Line, modelsKey, purpose)
	switch {
	case isNull(n):
		return m, false
	case n.Kind == yaml.ScalarNode:
		m.Name = n.Value
		return m, true
	case n.Kind != yaml.MappingNode:
		r.add(n.Line, "%s：%s 应该是模型的名字、它的几项，或者一列这样的东西", "%s: %s must be the name of a model, its keys, or a list of these", modelsKey, purpose)
		return m, false
	}
	before := len(r.mistakes)
	for key, value := range r.entries(n, purpose, nil) {
		to := map[string]*string{"model": &m.Kind, "model-name": &m.Name, "base-url": &m.BaseURL, "key-file": &m.KeyFile, "text-calls": nil, "voice": &m.Voice, "audio-format": &m.AudioFormat}
		field, known := to[key.Value]
		switch {
		case !known:
			r.add(key.Line, "%s：%s：没有 %q 这一项%s（有 %s）", "%s: %s: unknown key %q%s (one of %s)", modelsKey, purpose, key.Value, lang.DidYouMean(key.Value, modelKeys), strings.Join(modelKeys, ", "))
		case isNull(value):
		case value.Kind != yaml.ScalarNode:
			r.add(key.Line, "%s：%s：%s 应该是单个值%s", "%s: %s: %s must have a single value%s", modelsKey, purpose, key.Value, lang.Text{})
		case field != nil:
			*field = value.Value
		case asBool(value.Value) == "true":
			m.TextCalls = true
		case asBool(value.Value) != "false":
			r.add(key.Line, "%s：%s：%s：%q 不是%s", "%s: %s: %s: %q is no %s", modelsKey, purpose, key.Value, value.Value, program.KindOf(true))
		}
	}
	return m, len(r.mistakes) == before
}

// writeModels writes the section of the models by purpose, commented out.
func writeModels(w io.Writer, purposes []string) {
	if len(purposes) == 0 {
		return
	}
	fmt.Fprint(w, `

# ── 按用途选模型 · Models by purpose ──

# 每种用途可以有自己的模型；不写的，用上面的 model-name。写成一列，就是前一个不行用后一个。
# 每个模型可以有 model、model-name、base-url、key-file、text-calls，意思和上面一样，不写的照上面；只写名字，就是同一个服务上的。
# 换了服务就要写它自己的 key-file：密钥不会发给别的服务。speak 的还可以有 voice（嗓音；换了服务也要自己写）和 audio-format（默认 mp3，有的服务只给 wav）。
# Each purpose may have a model of its own. Those without one use model-name above. In a list, each one is used when the one before it fails.
# A model has the keys model, model-name, base-url, key-file and text-calls, as above, and those that are missing are as above. A name alone
# is a model of the same service. Another service needs its own key-file: a key is sent to no other service. One for speak may also have
# voice, which another service needs for itself, too, and audio-format: mp3 if it is missing, and some services have only wav.
#models:
`)
	for _, t := range modelTexts {
		if slices.Contains(purposes, t.key) {
			fmt.Fprintf(w, "#   # %s\n#   # %s\n#   %s\n", t.chinese, t.english, strings.ReplaceAll(t.example, "\n", "\n#   "))
		}
	}
}
