// Package outside is what the examples reach of the outside by their flags: a model's service, and a OneBot v11
// implementation.
package outside

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
)

// A Model is the flags that say what to think with. Its zero value is not ready: see [Model.Flags].
type Model struct {
	Kind    string // offline, openai or ollama
	Name    string
	Embed   string // the embedder's name; empty: there is none
	BaseURL string // empty: that of Kind
	KeyFile string // empty: the environment says the key
}

// Flags defines them.
func (m *Model) Flags(f *flag.FlagSet) {
	f.StringVar(&m.Kind, "model", "offline", "`offline` (rules, no language model), openai (any compatible service) or ollama")
	f.StringVar(&m.Name, "model-name", "", "`name` of the model")
	f.StringVar(&m.Embed, "embed-name", "", "`name` of a model for embeddings at the same service: recall by meaning too; empty: by words alone")
	f.StringVar(&m.BaseURL, "base-url", "", "`URL` of the model's service; empty: that of openai, or of ollama on this machine")
	f.StringVar(&m.KeyFile, "key-file", "", "`file` with the key of the model's service; empty: from the environment, as OPENAI_API_KEY")
}

// Offline reports whether it is made of rules.
func (m *Model) Offline() bool { return m.Kind == "offline" }

// Check says what is wrong with them.
func (m *Model) Check() error {
	switch {
	case !m.Offline() && m.Kind != "openai" && m.Kind != "ollama":
		return fmt.Errorf("-model %q is unknown: offline, openai or ollama", m.Kind)
	case !m.Offline() && m.Name == "":
		return fmt.Errorf("-model %s needs -model-name", m.Kind)
	case m.Offline() && m.Embed != "":
		return errors.New("-embed-name needs -model openai or ollama: the offline one has no embeddings")
	}
	return nil
}

// New makes the model, and the embedder where one is named. rules is what stands for the offline one.
func (m *Model) New(rules offline.Model) (llms.Model, embeddings.Embedder, error) {
	if m.Offline() {
		return rules, nil, nil
	}
	key, err := m.key()
	if err != nil {
		return nil, nil, err
	}
	url := cmp.Or(m.BaseURL, models.OpenAIURL)
	if m.BaseURL == "" && m.Kind == "ollama" {
		url = models.OllamaURL
	}
	model, err := models.OpenAI(url, m.Name, key, models.OpenAIOptions{})
	if err != nil || m.Embed == "" {
		return model, nil, err
	}
	embedder, err := models.OpenAIEmbedder(url, m.Embed, key, models.OpenAIOptions{})
	return model, embedder, err
}

// key is never taken from a flag: those are seen by every process of the machine.
func (m *Model) key() (string, error) {
	if m.KeyFile != "" {
		b, err := os.ReadFile(m.KeyFile)
		return strings.TrimSpace(string(b)), err
	}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return key, nil
	}
	if m.Kind == "ollama" {
		return "", nil
	}
	return "", errors.New("the model's key is missing: set OPENAI_API_KEY, or name a file by -key-file")
}
