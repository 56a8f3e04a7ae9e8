package outside

import (
	"flag"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// configured returns a model of flags and of entries in a file.
func configured(t *testing.T, file map[string][]config.Model, args ...string) *Model {
	t.Helper()
	var m Model
	f := flag.NewFlagSet("bot", flag.ContinueOnError)
	m.Flags(f)
	require.NoError(t, f.Parse(args))
	m.Use(&config.File{Models: file})
	return &m
}

// A file's entry without a service is one of the flags' service. -model-for comes before the file.
func TestModel_Choices(t *testing.T) {
	m := configured(t, map[string][]config.Model{
		"judge": {{Name: "of the file"}},
		"reply": {{Name: "good"}, {Name: "other", BaseURL: "https://b/v1", KeyFile: "b.txt"}},
		"see":   {{Kind: "ollama", Name: "eyes", TextCalls: true}},
		"hear":  {{Name: "ears"}, {Name: "other ears", BaseURL: "https://b/v1", KeyFile: "b.txt"}},
		"speak": {{Name: "mouth"}, {Name: "hoarse", Voice: "low"}, {Name: "other", BaseURL: "https://b/v1", KeyFile: "b.txt", AudioFormat: "wav"}},
	}, "-voice", "soft", "-model", "openai", "-model-name", "main", "-base-url", "https://a/v1", "-key-file", "a.txt", "-embed-name", "e", "-model-for", "judge=cheap, cheaper", "-model-for", "default=main,spare")
	require.NoError(t, m.Check())
	all, err := m.choices()
	require.NoError(t, err)
	of := func(name string) candidate {
		return candidate{Model: Model{Kind: "openai", Name: name, BaseURL: "https://a/v1", KeyFile: "a.txt"}}
	}
	with := func(c candidate, voice string) candidate { c.Voice = voice; return c }
	assert.Equal(t, []choice{
		{"default", []candidate{of("main"), of("spare")}},
		{"judge", []candidate{of("cheap"), of("cheaper")}},
		{"reply", []candidate{of("good"), {Model: Model{Kind: "openai", Name: "other", BaseURL: "https://b/v1", KeyFile: "b.txt"}}}},
		{"see", []candidate{{Model: Model{Kind: "ollama", Name: "eyes", keyless: true}, textCalls: true}}},
		{"hear", []candidate{of("ears"), {Model: Model{Kind: "openai", Name: "other ears", BaseURL: "https://b/v1", KeyFile: "b.txt"}}}},
		{"speak", []candidate{with(of("mouth"), "soft"), with(of("hoarse"), "low"), {Model: Model{Kind: "openai", Name: "other", BaseURL: "https://b/v1", KeyFile: "b.txt"}, audioFormat: "wav"}}},
	}, all, "another service does not get the voice of the flags")
	assert.False(t, m.Local())

	all, err = configured(t, nil, "-model", "ollama", "-model-name", "main").choices()
	require.NoError(t, err)
	assert.Len(t, all, 1)
	assert.False(t, configured(t, map[string][]config.Model{"see": {{Kind: "openai", Name: "x", KeyFile: "k"}}}).Local(), "one of them is paid")
	assert.True(t, configured(t, map[string][]config.Model{"see": {{Kind: "ollama", Name: "x"}}}).Local())
}

func TestModel_MistakesInPurposes(t *testing.T) {
	const where = "bot.yaml:7: models: see"
	entry := func(m config.Model) map[string][]config.Model {
		m.Where = where
		return map[string][]config.Model{"see": {m}}
	}
	openai := []string{"-model", "openai", "-model-name", "main"}
	for name, test := range map[string]struct {
		file map[string][]config.Model
		args []string
		says string
	}{
		"purpose":      {nil, append(openai, "-model-for", "juge=x"), `-model-for: unknown purpose "juge": did you mean "judge"? (one of judge, plan, reply, background, see, hear, speak, default)`},
		"form":         {nil, append(openai, "-model-for", "judge"), `-model-for "judge" must have the form plan=NAME`},
		"offline":      {nil, []string{"-model-for", "judge=x"}, "do nothing without -model openai or ollama"},
		"offline file": {entry(config.Model{Name: "x"}), nil, where + ": -model-name, -base-url and -key-file do nothing"},
		"kind":         {entry(config.Model{Kind: "opnai", KeyFile: "k"}), openai, where + `: -model "opnai" is unknown`},
		"URL":          {entry(config.Model{BaseURL: "b.example", KeyFile: "k"}), openai, where + ": -base-url"},
		"voice":        {nil, append(openai, "-voice", "soft"), "-voice does nothing without -model-for speak=NAME"},
		"idle chance":  {nil, append(openai, "-voice-chance", ".5"), "-voice-chance does nothing without -model-for speak=NAME"},
		"chance":       {nil, append(openai, "-model-for", "speak=x", "-voice-chance", "1.5"), "-voice-chance 1.5 must be 0 to 1"},
		"no chance":    {nil, append(openai, "-model-for", "speak=x", "-voice-chance", "NaN"), "-voice-chance NaN must be 0 to 1"},
		"other voice":  {entry(config.Model{Name: "x", Voice: "soft"}), openai, where + ": see: voice does nothing: only speak has one"},
		"other format": {entry(config.Model{Name: "x", AudioFormat: "wav"}), openai, where + ": see: audio-format does nothing: only speak has one"},
		"deaf":         {map[string][]config.Model{"hear": {{Kind: "offline"}}}, openai, "hear needs a real model"},
		"text calls":   {map[string][]config.Model{"hear": {{Name: "x", TextCalls: true}}}, openai, "hear: text-calls does nothing"},
		"no key":       {entry(config.Model{BaseURL: "https://b.example/v1"}), openai, where + ": another service needs key-file"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, configured(t, test.file, test.args...).Check(), test.says)
		})
	}
}

// The key of one service is sent to no other, neither by the models nor by a check.
func TestModel_KeysStayAtTheirService(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(first, []byte("sk-test-a"), 0o600))
	require.NoError(t, os.WriteFile(second, []byte("sk-test-b"), 0o600))
	t.Setenv("OPENAI_API_KEY", "sk-test-env")
	var services []*keyed
	for range 3 {
		s := &keyed{next: modeltest.Always(modeltest.Say("在的")).Handler()}
		api := httptest.NewServer(s)
		t.Cleanup(api.Close)
		s.url = api.URL + "/v1"
		services = append(services, s)
	}
	m := configured(t, map[string][]config.Model{
		"plan":  {{Name: "p", BaseURL: services[1].url, KeyFile: second}},
		"judge": {{Name: "j", BaseURL: services[2].url}}, // on this machine, without a key
	}, "-model", "openai", "-model-name", "m", "-base-url", services[0].url, "-key-file", first)
	require.NoError(t, m.Check())
	all, err := m.New(offline.Model{}, 1, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	assert.Nil(t, all.ByPurpose.Reply)
	assert.Nil(t, all.Pictures())
	for _, one := range []llms.Model{all.Default, all.ByPurpose.Plan, all.ByPurpose.Judge} {
		_, err := llms.GenerateFromSinglePrompt(t.Context(), one, "在吗")
		require.NoError(t, err)
	}
	lines, err := run(t, func(r *check.Report) { m.CheckStart(t.Context(), r); m.CheckPurposes(t.Context(), r) })
	require.NoError(t, err, lines)
	assert.Contains(t, lines, "✓ purpose plan: p\n")
	assert.Contains(t, lines, "✓ purpose judge: j\n")
	assert.Equal(t, [][]string{{"Bearer sk-test-a"}, {"Bearer sk-test-b"}, {""}}, [][]string{services[0].keys(), services[1].keys(), services[2].keys()})
}

// keyed is a service that keeps the keys of its requests.
type keyed struct {
	url  string
	next http.Handler

	mu   sync.Mutex
	seen map[string]bool
}

// ServeHTTP implements [http.Handler].
func (s *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[r.Header.Get("Authorization")] = true
	s.mu.Unlock()
	s.next.ServeHTTP(w, r)
}

func (s *keyed) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.seen))
}

// A model that hears and one that speaks have their own clients, and the next one of a list answers if the first one fails.
func TestModel_HearAndSpeak(t *testing.T) {
	fake := modeltest.New(modeltest.HTTPError(402, "no money"), modeltest.Say("我晚点到"), modeltest.HTTPError(402, "no money"), modeltest.Voice([]byte("RIFF"), "audio/wav"))
	api := httptest.NewServer(fake.Handler())
	t.Cleanup(api.Close)
	m := configured(t, map[string][]config.Model{"speak": {{Name: "a"}, {Name: "b", Voice: "low", AudioFormat: "wav"}}},
		"-model", "ollama", "-model-name", "m", "-base-url", api.URL+"/v1", "-model-for", "hear=a,b", "-voice", "soft", "-voice-chance", ".25")
	require.NoError(t, m.Check())
	all, err := m.New(offline.Model{}, 1, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	before := all.ByPurpose
	all.Wrap(func(m models.Retrier) models.Retrier { return m })
	assert.Equal(t, before.Hear, all.ByPurpose.Hear, "a log of tool calls has nothing of it")
	text, err := models.Transcribe(t.Context(), all.ByPurpose.Hear, []byte("ID3"), "audio/mpeg")
	require.NoError(t, err)
	assert.Equal(t, "我晚点到", text)
	audio, kind, err := models.Speak(t.Context(), all.ByPurpose.Speak, "好的")
	require.NoError(t, err)
	assert.Equal(t, []string{"RIFF", "audio/wav"}, []string{string(audio), kind})
	voices := []string{}
	for _, p := range fake.Prompts() {
		voices = append(voices, p.Voice)
	}
	assert.Equal(t, []string{"", "", "soft", "low"}, voices)

	var o social.Options
	all.UseVoice(&o)
	assert.Equal(t, &social.Voice{Chance: .25}, o.Reply.Speech.Voice)
	assert.Equal(t, []string{"一。二。三。"}, speech.Split("一。二。三。", o.Reply.Speech.Split), "a reply in text stays whole")
	o.Reply.Speech = &social.Speech{StickerChance: .5}
	given := o.Reply.Speech
	all.UseVoice(&o)
	assert.Equal(t, &social.Speech{StickerChance: .5, Voice: &social.Voice{Chance: .25}}, o.Reply.Speech)
	assert.Nil(t, given.Voice, "the options are copied")
	o = social.Options{}
	(&Built{}).UseVoice(&o)
	assert.Nil(t, o.Reply.Speech)
}
