package outside

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run returns the lines of a check, and its error. No line has a token or a key.
func run(t *testing.T, parts func(r *check.Report)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	r := check.NewReport(&out, lang.English)
	parts(r)
	for _, secret := range []string{"sekret", "sk-test"} {
		assert.NotContains(t, out.String(), secret)
	}
	return out.String(), r.Err()
}

// closedPort returns an address on which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return address
}

func TestCheckStart_OneBot(t *testing.T) {
	qq := onebottest.New(onebottest.Options{SelfID: 20001, Nickname: "小炉", Token: "sekret"})
	t.Cleanup(qq.Close)
	url := qq.Start()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { busy.Close() })
	for name, test := range map[string]struct {
		link Connection
		says string
	}{
		"right":        {Connection{Forward: url, Token: "sekret"}, "✓ onebot (forward WebSocket): " + url + ", account 20001 小炉"},
		"simulated":    {Connection{}, "✓ OneBot: none"},
		"free address": {Connection{Listen: closedPort(t)}, "✓ listen (reverse WebSocket)"},
		"wrong token":  {Connection{Forward: url + "?access_token=another-sekret", Token: "wrong"}, "✗ onebot (forward WebSocket): " + url + " rejects the token"},
		"no token":     {Connection{Forward: url}, "rejects the token"},
		"unreachable":  {Connection{Forward: "ws://" + closedPort(t), Token: "sekret"}, "is not reachable"},
		"no OneBot":    {Connection{Forward: strings.Replace(other.URL, "http", "ws", 1)}, "is no OneBot WebSocket"},
		"no URL":       {Connection{Forward: "127.0.0.1:3001"}, "✗"},
		"busy address": {Connection{Listen: busy.Addr().String()}, "✗ listen (reverse WebSocket): listen tcp"},
		"no port":      {Connection{Listen: "8080"}, "missing port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says, err := run(t, func(r *check.Report) { test.link.CheckStart(t.Context(), r) })
			assert.Contains(t, says, test.says)
			assert.Equal(t, strings.Contains(says, "✗"), err != nil)
		})
	}
}

// A modelServer serves a list of models, and answers as one that is not listed.
func modelServer(t *testing.T, list bool) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Model string }
		body, _ := io.ReadAll(r.Body)
		json.Unmarshal(body, &asked)
		switch {
		case r.Header.Get("Authorization") != "Bearer sk-test":
			http.Error(w, "Incorrect API key provided: sk-test", http.StatusUnauthorized)
		case r.URL.Path == "/v1/models" && list:
			io.WriteString(w, `{"object": "list", "data": [{"id": "house-large"}, {"id": "bge-m3:latest"}]}`)
		case r.URL.Path == "/v1/chat/completions" && asked.Model == "ep-1":
			io.WriteString(w, `{"choices": [{"message": {"content": "h"}}]}`)
		case r.URL.Path == "/v1/audio/speech" && asked.Model == "tts-1" && bytes.Contains(body, []byte(`"voice":"soft"`)):
			io.WriteString(w, "ID3")
		case r.URL.Path == "/v1/audio/transcriptions" && bytes.Contains(body, []byte("RIFF")) && bytes.Contains(body, []byte("asr-1")):
			io.WriteString(w, `{"text": ""}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1/"
}

func TestCheckStart_Model(t *testing.T) {
	with, without := modelServer(t, true), modelServer(t, false)
	busy := httptest.NewServer(modeltest.Backend{Server: modeltest.LlamaCpp, Loading: make(chan struct{})}.Handler())
	t.Cleanup(busy.Close)
	loading := busy.URL + "/v1"
	dir := t.TempDir()
	key, empty := filepath.Join(dir, "key"), filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(key, []byte("sk-test\n"), 0o600))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	wrong := filepath.Join(dir, "wrong")
	require.NoError(t, os.WriteFile(wrong, []byte("sk-other"), 0o600))
	t.Setenv("OPENAI_API_KEY", "")
	for name, test := range map[string]struct {
		model Model
		says  string
	}{
		"listed":          {Model{Kind: "openai", Name: "house-large", BaseURL: with, KeyFile: key}, "✓ key: present\n✓ model: house-large at http://"},
		"not listed":      {Model{Kind: "openai", Name: "ep-1", BaseURL: with, KeyFile: key}, "✓ model: ep-1 at"},
		"without a list":  {Model{Kind: "openai", Name: "ep-1", BaseURL: without, KeyFile: key}, "✓ model: ep-1 at"},
		"with embeddings": {Model{Kind: "openai", Name: "house-large", Embed: "bge-m3", BaseURL: with, KeyFile: key}, "✓ embed-name: bge-m3"},
		"offline":         {Model{Kind: "offline"}, "✓ model: the offline one"},

		"misspelled":         {Model{Kind: "openai", Name: "house-lagre", BaseURL: with, KeyFile: key}, `does not serve "house-lagre": did you mean "house-large"?; it serves: house-large`},
		"retired":            {Model{Kind: "openai", Name: "old-1", BaseURL: with, KeyFile: key}, `does not serve "old-1"; it serves: house-large, bge-m3:latest`},
		"no name":            {Model{Kind: "openai", BaseURL: with, KeyFile: key, Listing: true}, "-model-name is missing; http://"},
		"no name, no list":   {Model{Kind: "openai", BaseURL: without, KeyFile: key, Listing: true}, "lists no models"},
		"loading":            {Model{Kind: "ollama", Name: "m", BaseURL: loading}, "still loads its model"},
		"unknown embeddings": {Model{Kind: "openai", Name: "house-large", Embed: "bge", BaseURL: with, KeyFile: key}, "✗ embed-name"},
		"wrong path":         {Model{Kind: "openai", Name: "m", BaseURL: strings.TrimSuffix(with, "/v1/"), KeyFile: key}, "is the URL right, with /v1 perhaps?"},
		"wrong key":          {Model{Kind: "openai", Name: "m", BaseURL: with, KeyFile: wrong}, "rejects the key: HTTP status 401"},
		"no key":             {Model{Kind: "openai", Name: "m"}, "✗ key: the model's key is missing"},
		"no key, own server": {Model{Kind: "openai", Name: "m", BaseURL: with}, "rejects the key: HTTP status 401"},
		"empty key":          {Model{Kind: "openai", Name: "m", BaseURL: with, KeyFile: empty}, "is empty: write the key into it"},
		"unreachable":        {Model{Kind: "openai", Name: "m", BaseURL: "http://" + closedPort(t), KeyFile: key}, "is not reachable"},
		"no URL":             {Model{Kind: "openai", Name: "m", BaseURL: "localhost:9999", KeyFile: key}, "lacks http://"},
	} {
		t.Run(name, func(t *testing.T) {
			says, err := run(t, func(r *check.Report) { test.model.CheckStart(t.Context(), r) })
			assert.Contains(t, says, test.says)
			assert.Equal(t, strings.Contains(says, "✗"), err != nil)
		})
	}
}

// -check without -model-name lists the names, also in the place of a model by purpose.
func TestCheck_ListsNames(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-test\n"), 0o600))
	m := configured(t, nil, "-model", "openai", "-base-url", modelServer(t, true), "-key-file", key)
	require.ErrorContains(t, m.Check(), "-check lists the names")
	m.Listing = true
	require.NoError(t, m.Check())
	says, err := run(t, func(r *check.Report) { m.CheckStart(t.Context(), r) })
	require.Error(t, err)
	assert.Contains(t, says, "-model-name is missing; http://")
	assert.Contains(t, says, "serves: house-large, bge-m3:latest")
}

// A Chinese input method writes full-width characters in addresses, and some copy the whole URL of a call.
func TestCheck_Addresses(t *testing.T) {
	for text, says := range map[string]string{
		"ws://127.0.0.1：3001":  "-onebot has the full-width character '：': an address has only half-width ones",
		"ws：//127.0.0.1:3001":  "-onebot has the full-width character '：'",
		"ws://127。0.0.1:3001/": "-onebot has the full-width character '。'",
		"ws://炉边.中国:3001":      "",
	} {
		err := program.CheckWS("-onebot", text)
		if says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, says)
	}
	_, err := program.ListenAddress("-listen", "127.0.0.1：8080")
	require.ErrorContains(t, err, "-listen has the full-width character '：'")
	m := Model{Kind: "ollama", Name: "m", BaseURL: "http://127.0.0.1:11434/v1/chat/completions"}
	require.EqualError(t, m.Check(), "-base-url must not end in /chat/completions: write http://127.0.0.1:11434/v1")
	m.BaseURL = "http：//127.0.0.1:11434/v1"
	require.ErrorContains(t, m.Check(), "-base-url has the full-width character '：'")
}

// A model that hears or speaks is asked by its own API if the service does not list it.
func TestCheckPurposes_Audio(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-test\n"), 0o600))
	for _, list := range []bool{true, false} {
		check := func(args ...string) (string, error) {
			m := configured(t, nil, append(args, "-model", "openai", "-model-name", "ep-1", "-base-url", modelServer(t, list), "-key-file", key)...)
			require.NoError(t, m.Check())
			return run(t, func(r *check.Report) { m.CheckPurposes(t.Context(), r) })
		}
		says, err := check("-model-for", "hear=asr-1", "-model-for", "speak=tts-1", "-voice", "soft")
		require.NoError(t, err, says)
		assert.Regexp(t, `✓ purpose hear: asr-1\n✓ key: present\n✓ model: asr-1 at \S+ answers\n✓ purpose speak: tts-1\n✓ key: present\n✓ model: tts-1 at \S+ answers\n$`, says)
		says, err = check("-model-for", "hear=asr-2", "-model-for", "speak=tts-1")
		require.Error(t, err)
		assert.Equal(t, 2, strings.Count(says, "✗ model: "), says)
		if list {
			assert.Contains(t, says, `does not serve "asr-2"`)
		}
	}
	fake := modeltest.New(modeltest.Say(""), modeltest.Voice([]byte("ID3"), "audio/mpeg")) // reads the requests as a service does
	api := httptest.NewServer(fake.Handler())
	t.Cleanup(api.Close)
	for purpose, path := range map[string]string{"hear": "/audio/transcriptions", "speak": "/audio/speech"} {
		ask, err := candidate{Model: Model{Name: "m"}}.probe(purpose)
		require.NoError(t, err)
		assert.Equal(t, path, ask.path)
	}
	ask, err := candidate{Model: Model{Name: "m"}}.probe("hear")
	require.NoError(t, err)
	body, status, err := service{base: api.URL + "/v1"}.do(t.Context(), http.MethodPost, ask)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status, string(body))
}

func TestCheck_Store(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bot.db")
	store := func(path string) (string, error) { return run(t, func(r *check.Report) { r.Store(path) }) }
	says, err := store(path)
	require.NoError(t, err)
	assert.Contains(t, says, "will be created")
	assert.NoFileExists(t, path)
	db, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	says, err = store(path)
	require.NoError(t, err)
	assert.Contains(t, says, "✓ db: "+path)
	_, err = store(filepath.Join(dir, "none", "bot.db"))
	require.ErrorContains(t, err, "-check: 1 of 1 parts would fail")
	if runtime.GOOS == "linux" { // there nobody, not even root, creates a file in /proc
		says, err = store("/proc/bot.db")
		require.Error(t, err)
		assert.Contains(t, says, "/proc/bot.db cannot be created: ")
	}
	open, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	says, err = store(path)
	require.Error(t, err)
	assert.Contains(t, says, " is in use: ")
	var chinese bytes.Buffer
	check.NewReport(&chinese, lang.Chinese).Store(path)
	require.NoError(t, open.Close())
	assert.Regexp(t, `先关掉它（this process \(\d+\) has the file open already; only one DB may write it）\n$`, chinese.String())
	other := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(other, bytes.Repeat([]byte("x"), 200), 0o600))
	says, err = store(other)
	require.Error(t, err)
	assert.Contains(t, says, "not a memory file")
}
