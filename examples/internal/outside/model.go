// Package outside turns the flags of the examples into a model, a OneBot connection and a store.
package outside

import (
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
)

// A Model contains the flags for the language model. Its zero value is not ready; see [Model.Flags].
type Model struct {
	Kind    string // offline, openai or ollama
	Name    string
	Embed   string // model for embeddings; empty means none
	BaseURL string // empty means the default of Kind
	KeyFile string // empty means OPENAI_API_KEY
	Context int    // most tokens of a prompt; 0 means that of Kind
	Listing bool   // the program only checks its start, so Name may be empty: CheckStart lists the names

	Voice string // of a model for speak; empty means that of its service

	voice      voiceFlags
	forPurpose []string                  // values of -model-for
	file       map[string][]config.Model // by purpose
	keyless    bool                      // a service without a key
}

// Purposes are the purposes that may have a model of their own. Default is every other one.
var Purposes = []string{
	string(models.PurposeJudge), string(models.PurposePlan), string(models.PurposeReply), string(models.PurposeBackground), string(models.PurposeSee),
	string(models.PurposeHear), string(models.PurposeSpeak), defaultPurpose,
}

const defaultPurpose = "default"

// Flags defines the flags.
func (m *Model) Flags(f *flag.FlagSet) {
	f.StringVar(&m.Kind, "model", "offline", "`offline` (rules, no language model), openai (any compatible service) or ollama")
	f.StringVar(&m.Name, "model-name", "", "`name` of the model")
	f.StringVar(&m.Embed, "embed-name", "", "`name` of a model for embeddings at the same service: recall by meaning too; empty: by words alone")
	f.StringVar(&m.BaseURL, "base-url", "", "`URL` of the model's service; empty: that of openai, or of ollama on this machine")
	f.StringVar(&m.KeyFile, "key-file", "", "`file` with the key of the model's service; empty: from the environment, as OPENAI_API_KEY")
	f.IntVar(&m.Context, "context", 0, "most `tokens` of the context in a request; 0: 28000, and with -model ollama 12000, which fit a window of 16384")
	f.Func("model-for", "`purpose=name` of another model of the same service for judge, plan, reply, background, see (pictures), hear (voice messages that QQ does not transcribe), speak (its own voice messages) or default (all others); name,name: the second when the first fails; may be repeated", func(s string) error {
		m.forPurpose = append(m.forPurpose, s)
		return nil
	})
	m.voice.flags(f)
}

// TurnOptions returns the limits of a turn.
func (m *Model) TurnOptions() social.TurnOptions {
	if m.Context == 0 && m.Kind == "ollama" {
		return social.TurnOptions{ContextTokens: 12000}
	}
	return social.TurnOptions{ContextTokens: m.Context}
}

// Use takes the models by purpose from the configuration file. -model-for comes before them.
func (m *Model) Use(file *config.File) { m.file = file.Models }

// OfflineNote is for users of the offline model.
var OfflineNote = lang.T("离线模型：按规则回答，不是语言模型。要换成真的：-model openai -model-name … 或 -model ollama。",
	"The offline model answers by rules; it is no language model. For a real one: -model openai -model-name … or -model ollama.")

// LogEnd returns a function that logs at the end of a program what the bot has done.
func LogEnd(log *slog.Logger, bot *social.Bot, prices Prices) func() {
	return func() {
		s := bot.Stats()
		cached, _ := bot.CacheShare()
		attrs := []any{"received", s.Received, "sent", s.Sent, "model_calls", s.ModelCalls, "tokens", s.Tokens, "cache_percent", int(100 * cached), "tokens_24h", bot.Budget().Usage.DayTokens}
		usage := bot.Usage()
		for _, p := range slices.Sorted(maps.Keys(usage)) {
			attrs = append(attrs, string(p), fmt.Sprintf("%d/%d", usage[p].Calls, usage[p].Total()))
		}
		if len(prices.Prices) > 0 {
			attrs = append(attrs, "cost", prices.Cost(bot.UsageByModel()))
		}
		for _, h := range bot.LinkHealth() {
			if h.Reconnects > 0 || h.Dropped > 0 {
				attrs = append(attrs, "link", h.Self.Platform, "reconnects", h.Reconnects, "dropped", h.Dropped)
			}
		}
		log.Info("stopped", attrs...)
	}
}

// Offline reports whether the model is the offline one.
func (m *Model) Offline() bool { return m.Kind == "offline" }

// Local reports whether all models run on this machine or in a private network, so that no call is paid: the offline model, or a
// service at a loopback or private address.
func (m *Model) Local() bool {
	all, err := m.choices()
	for _, c := range all {
		if slices.ContainsFunc(c.models, func(one candidate) bool { return !one.local() }) {
			return false
		}
	}
	return err == nil
}

func (m *Model) local() bool { return m.Offline() || program.IsLocal(m.Kind, m.BaseURL) }

// Check validates the flags and the models by purpose.
func (m *Model) Check() error {
	if err := m.check(); err != nil {
		return err
	}
	all, err := m.choices()
	if err != nil {
		return err
	}
	speaks := false
	for _, c := range all {
		speaks = speaks || c.purpose == string(models.PurposeSpeak)
		for _, one := range c.models {
			err := one.checkAudio(c.purpose)
			if err == nil {
				err = one.check()
			}
			if err != nil {
				return one.at(err)
			}
		}
	}
	return m.voice.check(speaks)
}

func (m *Model) check() error {
	switch {
	case !m.Offline() && m.Kind != "openai" && m.Kind != "ollama":
		return lang.Errorf("-model %q 不认识：写 offline、openai 或者 ollama", "-model %q is unknown: offline, openai or ollama", m.Kind)
	case !m.Offline() && m.Name == "" && !m.Listing:
		return lang.Errorf("-model %s 还要写 -model-name：模型的名字；加上 -check 会列出有哪些", "-model %s needs -model-name: the name of the model; -check lists the names", m.Kind)
	case m.Offline() && m.Embed != "":
		return lang.Errorf("-embed-name 要和 -model openai 或者 ollama 一起用：离线的没有嵌入模型", "-embed-name needs -model openai or ollama: the offline one has no embeddings")
	case m.Offline() && m.Name+m.BaseURL+m.KeyFile != "":
		return lang.Errorf("-model-name、-base-url 和 -key-file 没有用处：要和 -model openai 或者 ollama 一起写", "-model-name, -base-url and -key-file do nothing without -model openai or ollama")
	case m.Context < 0:
		return lang.Errorf("-context %d 太小：写一个正数，或者 0", "-context %d is too small: write a positive number, or 0", m.Context)
	}
	if base, found := strings.CutSuffix(strings.TrimRight(m.BaseURL, "/"), "/chat/completions"); found {
		return lang.Errorf("-base-url 不要带 /chat/completions：写 %s", "-base-url must not end in /chat/completions: write %s", Host(base))
	}
	return program.CheckURL("-base-url", m.BaseURL)
}

// atBaseURL adds the flags to an error about the URL or the key.
func atBaseURL(err error) error {
	if err == nil {
		return nil
	}
	return lang.Errorf("-base-url、-model-name 或者密钥不对：%v", "-base-url, -model-name or the key: %v", err)
}
