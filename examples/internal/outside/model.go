// Package outside turns the flags of the examples into a model, a OneBot connection and a store.
package outside

import (
	"cmp"
	"flag"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A Model contains the flags for the language model. Its zero value is not ready; see [Model.Flags].
type Model struct {
	Kind    string // offline, openai or ollama
	Name    string
	Embed   string // model for embeddings; empty means none
	BaseURL string // empty means the default of Kind
	KeyFile string // empty means OPENAI_API_KEY
}

// Flags defines the flags.
func (m *Model) Flags(f *flag.FlagSet) {
	f.StringVar(&m.Kind, "model", "offline", "`offline` (rules, no language model), openai (any compatible service) or ollama")
	f.StringVar(&m.Name, "model-name", "", "`name` of the model")
	f.StringVar(&m.Embed, "embed-name", "", "`name` of a model for embeddings at the same service: recall by meaning too; empty: by words alone")
	f.StringVar(&m.BaseURL, "base-url", "", "`URL` of the model's service; empty: that of openai, or of ollama on this machine")
	f.StringVar(&m.KeyFile, "key-file", "", "`file` with the key of the model's service; empty: from the environment, as OPENAI_API_KEY")
}

// OfflineNote is for users of the offline model.
var OfflineNote = lang.T("离线模型：按规则回答，不是语言模型。要换成真的：-model openai -model-name … 或 -model ollama。",
	"The offline model answers by rules; it is no language model. For a real one: -model openai -model-name … or -model ollama.")

// LogEnd returns a function that logs at the end of a program what the bot has done.
func LogEnd(log *slog.Logger, bot *social.Bot, budget *heartflow.Budget) func() {
	return func() {
		s := bot.Stats()
		log.Info("stopped", "received", s.Received, "sent", s.Sent, "model_calls", s.ModelCalls, "tokens", s.Tokens, "tokens_24h", budget.Usage(time.Now(), "").DayTokens)
	}
}

// Offline reports whether the model is the offline one.
func (m *Model) Offline() bool { return m.Kind == "offline" }

// Local reports whether the model runs on this machine, so that no call is paid: the offline model, or a service at a loopback
// address.
func (m *Model) Local() bool {
	if m.Offline() || m.Kind == "ollama" && m.BaseURL == "" {
		return true
	}
	u, err := url.Parse(m.BaseURL)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// Check validates the flags.
func (m *Model) Check() error {
	switch {
	case !m.Offline() && m.Kind != "openai" && m.Kind != "ollama":
		return lang.Errorf("-model %q 不认识：写 offline、openai 或者 ollama", "-model %q is unknown: offline, openai or ollama", m.Kind)
	case !m.Offline() && m.Name == "":
		return lang.Errorf("-model %s 还要写 -model-name：模型的名字", "-model %s needs -model-name: the name of the model", m.Kind)
	case m.Offline() && m.Embed != "":
		return lang.Errorf("-embed-name 要和 -model openai 或者 ollama 一起用：离线的没有嵌入模型", "-embed-name needs -model openai or ollama: the offline one has no embeddings")
	case m.Offline() && m.Name+m.BaseURL+m.KeyFile != "":
		return lang.Errorf("-model-name、-base-url 和 -key-file 没有用处：要和 -model openai 或者 ollama 一起写", "-model-name, -base-url and -key-file do nothing without -model openai or ollama")
	}
	return program.CheckURL("-base-url", m.BaseURL)
}

// New returns the model, and an embedder if the flags name one. rules is the offline model.
func (m *Model) New(rules offline.Model) (llms.Model, embeddings.Embedder, error) {
	if m.Offline() {
		return rules, nil, nil
	}
	key, err := program.Key("-key-file", m.KeyFile, m.Kind)
	if err != nil {
		return nil, nil, err
	}
	service := cmp.Or(m.BaseURL, models.OpenAIURL)
	if m.BaseURL == "" && m.Kind == "ollama" {
		service = models.OllamaURL
	}
	model, err := models.OpenAI(service, m.Name, key, models.OpenAIOptions{})
	if err != nil || m.Embed == "" {
		return model, nil, atBaseURL(err)
	}
	embedder, err := models.OpenAIEmbedder(service, m.Embed, key, models.OpenAIOptions{})
	return model, embedder, atBaseURL(err)
}

// atBaseURL adds the flags to an error about the URL or the key.
func atBaseURL(err error) error {
	if err == nil {
		return nil
	}
	return lang.Errorf("-base-url、-model-name 或者密钥不对：%v", "-base-url, -model-name or the key: %v", err)
}
