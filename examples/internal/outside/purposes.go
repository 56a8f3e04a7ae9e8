package outside

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/nit/script"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A choice is the models of one purpose, in the order in which they are asked.
type choice struct {
	purpose string
	models  []candidate
}

// A candidate is one model of a choice.
type candidate struct {
	Model
	where       string // of an error; empty: the flags
	textCalls   bool
	audioFormat string
}

// at adds the place to an error.
func (c candidate) at(err error) error {
	if c.where == "" || err == nil {
		return err
	}
	return lang.Errorf("%s：%v", "%s: %v", c.where, err)
}

// choices returns the models of each purpose that has its own, and those of the default purpose first.
func (m *Model) choices() (all []choice, err error) {
	list := map[string][]candidate{defaultPurpose: {{Model: m.single()}}}
	for purpose, entries := range m.file {
		list[purpose] = nil
		for _, e := range entries {
			c, err := m.fromFile(purpose, e)
			if err != nil {
				return nil, err
			}
			list[purpose] = append(list[purpose], c)
		}
	}
	for _, text := range m.forPurpose {
		purpose, names, _ := strings.Cut(text, "=")
		switch purpose = strings.TrimSpace(purpose); {
		case len(program.List(names)) == 0:
			return nil, lang.Errorf("-model-for %q 写得不对：要像 plan=模型的名字", "-model-for %q must have the form plan=NAME", text)
		case !slices.Contains(Purposes, purpose):
			return nil, lang.Errorf("-model-for：没有 %q 这种用途%s（有 %s）", "-model-for: unknown purpose %q%s (one of %s)", purpose, lang.DidYouMean(purpose, Purposes), strings.Join(Purposes, ", "))
		}
		list[purpose] = nil
		for _, name := range program.List(names) {
			one := m.single()
			one.Name, one.Voice = name, m.voiceFor(purpose)
			list[purpose] = append(list[purpose], candidate{Model: one})
		}
	}
	for _, purpose := range append([]string{defaultPurpose}, Purposes...) {
		if own := list[purpose]; len(own) > 0 {
			all = append(all, choice{purpose, own})
			delete(list, purpose)
		}
	}
	return all, nil
}

// single returns the model of the flags without those by purpose and without embeddings.
func (m *Model) single() Model {
	return Model{Kind: m.Kind, Name: m.Name, BaseURL: m.BaseURL, KeyFile: m.KeyFile, Listing: m.Listing}
}

// voiceFor returns the voice of the flags for a model of their service.
func (m *Model) voiceFor(purpose string) string {
	if purpose == string(models.PurposeSpeak) {
		return m.voice.name
	}
	return ""
}

// fromFile returns a model of the file. Another service gets neither the key nor the voice of the flags.
func (m *Model) fromFile(purpose string, e config.Model) (candidate, error) {
	c := candidate{Model: m.single(), where: e.Where, textCalls: e.TextCalls, audioFormat: e.AudioFormat}
	c.Voice = cmp.Or(e.Voice, m.voiceFor(purpose))
	if e.Kind != "" && e.Kind != m.Kind || e.BaseURL != "" && e.BaseURL != m.BaseURL {
		c.Kind, c.BaseURL, c.KeyFile = cmp.Or(e.Kind, m.Kind), e.BaseURL, ""
		c.Voice = e.Voice
		if c.Offline() {
			c.Name = ""
		}
		if c.keyless = e.KeyFile == "" && c.local(); e.KeyFile == "" && !c.keyless {
			return c, c.at(lang.Errorf("别的服务要写 key-file：存放它的密钥的文件", "another service needs key-file: the file with its key"))
		}
	}
	c.Name, c.KeyFile = cmp.Or(e.Name, c.Name), cmp.Or(e.KeyFile, c.KeyFile)
	return c, nil
}

// Built are the models of a program.
type Built struct {
	Default    models.Retrier // for all other purposes
	ByPurpose  social.Models
	Embedder   embeddings.Embedder // nil without -embed-name
	EmbedderID string

	voiceChance float64
}

// Wrap wraps all models but those for pictures and speech, which call no tools.
func (b *Built) Wrap(wrap func(models.Retrier) models.Retrier) {
	b.Default = wrap(b.Default)
	for _, m := range []*llms.Model{&b.ByPurpose.Judge, &b.ByPurpose.Plan, &b.ByPurpose.Reply, &b.ByPurpose.Background} {
		if *m != nil {
			*m = wrap((*m).(models.Retrier))
		}
	}
}

// Background returns the model for background calls.
func (b *Built) Background() models.Retrier {
	if own := b.ByPurpose.Background; own != nil {
		return own.(models.Retrier)
	}
	return b.Default
}

// seeTimeout is the time for the pictures of one turn.
const seeTimeout = 30 * time.Second

// Pictures returns the options for pictures, or nil without a model for them.
func (b *Built) Pictures() *social.Pictures {
	if b.ByPurpose.See == nil {
		return nil
	}
	return &social.Pictures{Timeout: seeTimeout, ContentPart: func(p persona.Picture) llms.ContentPart { return llms.ImageURLPart(p.DataURL()) }}
}

// New returns the models, and an embedder if the flags name one. rules is the offline model.
func (m *Model) New(rules offline.Model, seed uint64, log *slog.Logger) (Built, error) {
	b := Built{voiceChance: m.voice.chance}
	all, err := m.choices()
	if err != nil {
		return b, err
	}
	for _, c := range all {
		one, err := c.build(rules, seed, log)
		if err != nil {
			return b, err
		}
		switch models.Purpose(c.purpose) {
		case models.PurposeJudge:
			b.ByPurpose.Judge = one
		case models.PurposePlan:
			b.ByPurpose.Plan = one
		case models.PurposeReply:
			b.ByPurpose.Reply = one
		case models.PurposeBackground:
			b.ByPurpose.Background = one
		case models.PurposeSee:
			b.ByPurpose.See = one
		case models.PurposeHear:
			b.ByPurpose.Hear = one
		case models.PurposeSpeak:
			b.ByPurpose.Speak = one
		default:
			b.Default = one
		}
	}
	if m.Embed == "" {
		return b, nil
	}
	service, key, err := m.service()
	if err != nil {
		return b, err
	}
	b.EmbedderID = m.Embed
	b.Embedder, err = models.OpenAIEmbedder(service, m.Embed, key, models.OpenAIOptions{})
	return b, atBaseURL(err)
}

// answerTime is the time of each model of a list but the last, so that the next one can still answer within a turn. See
// answerTimes.
const answerTime = 40 * time.Second

// build returns one model with retries, or a chain.
func (c choice) build(rules offline.Model, seed uint64, log *slog.Logger) (models.Retrier, error) {
	var all []models.Candidate
	for _, one := range c.models {
		m, err := one.client(rules, c.purpose)
		if err != nil {
			return nil, one.at(err)
		}
		if one.textCalls {
			m = script.Model(m, script.ModelOptions{CallTag: script.TokenTag})
		}
		all = append(all, models.Candidate{Name: cmp.Or(one.Name, one.Kind), Model: m, Timeout: cmp.Or(answerTimes[c.purpose], answerTime), MaxConcurrent: 64})
	}
	last := &all[len(all)-1]
	if len(all) == 1 {
		return models.Retry(last.Model, models.RetryOptions{Name: last.Name, Seed: seed, Logger: log})
	}
	last.Timeout = -1
	return models.NewChain(all, models.ChainOptions{Seed: seed, Logger: log})
}

// client returns the client of one model for a purpose.
func (c candidate) client(rules offline.Model, purpose string) (llms.Model, error) {
	switch {
	case isAudio(purpose):
		return c.audioClient(purpose)
	case c.Offline():
		return rules, nil
	}
	service, key, err := c.service()
	if err != nil {
		return nil, err
	}
	model, err := models.OpenAI(service, c.Name, key, models.OpenAIOptions{})
	return model, atBaseURL(err)
}

// service returns the URL of the service and the key for it.
func (m *Model) service() (baseURL, key string, err error) {
	key, err = m.key()
	if baseURL = cmp.Or(m.BaseURL, models.OpenAIURL); m.BaseURL == "" && m.Kind == "ollama" {
		baseURL = models.OllamaURL
	}
	return baseURL, key, err
}

func (m *Model) key() (string, error) {
	if m.keyless {
		return "", nil
	}
	return program.Key("-key-file", m.KeyFile, m.local())
}

// CheckPurposes reports the models by purpose. The model of the flags has [Model.CheckStart].
func (m *Model) CheckPurposes(ctx context.Context, r *check.Report) {
	all, err := m.choices()
	if err != nil {
		r.Part(lang.T("用途 models", "models"), lang.Text{}, err)
		return
	}
	seen := map[string]bool{fmt.Sprint(m.single()): true}
	for _, c := range all {
		var names []string
		for _, one := range c.models {
			names = append(names, cmp.Or(one.Name, one.Kind))
		}
		if c.purpose != defaultPurpose || len(names) > 1 {
			r.Part(lang.T("用途 %s", "purpose %s", c.purpose), lang.T("%s", "%s", strings.Join(names, " → ")), nil)
		}
		for _, one := range c.models {
			id := fmt.Sprint(one.Model)
			if isAudio(c.purpose) { // a service may have a model of that name for something else
				id += c.purpose + one.audioFormat
			}
			if !seen[id] {
				seen[id] = true
				one.checkStart(ctx, r, c.purpose)
			}
		}
	}
}
