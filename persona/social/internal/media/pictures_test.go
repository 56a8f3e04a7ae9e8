package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

const png = "\x89PNG\r\n\x1a\n"

// An internet serves at /name of every host a file, or a PNG that ends with name, and nothing at /missing.
type internet struct {
	files map[string]string // contents by name; nil: none

	mu    sync.Mutex
	asked []string
}

func (n *internet) options() fetch.Options {
	return fetch.Options{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Connect: func(context.Context, netip.AddrPort) (net.Conn, error) {
			here, there := net.Pipe()
			go n.serve(there)
			return here, nil
		},
	}
}

func (n *internet) serve(conn net.Conn) {
	defer conn.Close()
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	n.mu.Lock()
	n.asked = append(n.asked, name)
	n.mu.Unlock()
	w := httptest.NewRecorder()
	if content, ok := n.files[name]; ok {
		_, _ = w.WriteString(content)
	} else if name == "missing" {
		w.WriteHeader(http.StatusNotFound)
	} else {
		_, _ = w.WriteString(png + name)
	}
	_ = w.Result().Write(conn)
}

func (n *internet) requests() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(slices.Values(n.asked))
}

type silentLink struct{}

func (silentLink) Run(ctx context.Context, _ func(context.Context, persona.Event)) error {
	<-ctx.Done()
	return nil
}

func (silentLink) Send(context.Context, persona.Chat, persona.Outgoing) (string, error) {
	return "", nil
}

// A fixture has an engine whose turns load pictures.
type fixture struct {
	*Opener
	internet internet
	model    *modeltest.Model
}

func newFixture(t *testing.T, p Pictures) *fixture {
	t.Helper()
	return newLinkFixture(t, engine.Features{}, Options{Pictures: &p})
}

// newLinkFixture returns a fixture with a link that has features.
func newLinkFixture(t *testing.T, link engine.Features, o Options) *fixture {
	t.Helper()
	f := &fixture{model: modeltest.Always(modeltest.Say("在"))}
	banned, err := heartflow.NewFilter([]string{"赌博"}, nil)
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: silentLink{}, Features: link, Banned: banned})
	require.NoError(t, err)
	o.Web = f.internet.options()
	f.Opener, err = New(e, o)
	require.NoError(t, err)
	e.Register(f.Part())
	return f
}

// turn asks the model for some parts of one turn, whose messages have these pictures. It returns the prompts.
func (f *fixture) turn(t *testing.T, edit func(*engine.Job), messages [][]string, parts ...prompt.Kind) []modeltest.Prompt {
	t.Helper()
	c, err := f.engine.Chat(t.Context(), group)
	require.NoError(t, err)
	now := time.Now()
	j := &engine.Job{Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: group, At: now}, Chat: c, NoRow: true}
	for i, names := range messages {
		m := persona.Message{Key: "k" + string(rune('a'+i)), ID: string(rune('a' + i)), Chat: group, From: "1001", At: now}
		for _, name := range names {
			m.Parts = append(m.Parts, persona.Picture{URL: "http://pictures.example/" + name})
		}
		m.Text = persona.TextOf(m.Parts)
		j.Items = append(j.Items, m)
		j.Caller = m
	}
	j.Ask = func(ctx context.Context, t *engine.Turn) (a engine.Answer, err error) {
		for _, p := range parts {
			_, failed := t.RunPrompt(ctx, p, engine.Reasoning{})
			err = errors.Join(err, failed)
		}
		return a, err
	}
	j.Deliver = func(_ context.Context, _ *engine.Turn, _ *engine.Answer, err error) (string, error) { return "", err }
	if edit != nil {
		edit(j)
	}
	before := len(f.model.Prompts())
	_, err = f.engine.Do(t.Context(), j)
	require.NoError(t, err)
	assert.Empty(t, f.turns, "nothing is kept after the turn")
	return f.model.Prompts()[before:]
}

// saw returns the names of the pictures of a prompt.
func saw(p modeltest.Prompt) (names []string) {
	for _, m := range p.Messages {
		for _, part := range m.Parts {
			if b, ok := part.(llms.BinaryContent); ok {
				names = append(names, string(bytes.TrimPrefix(b.Data, []byte(png))))
			}
		}
	}
	return names
}

func TestPictures_LoadsOncePerTurn(t *testing.T) {
	f := newFixture(t, Pictures{Max: 2})
	for range 2 {
		prompts := f.turn(t, nil, [][]string{{"a"}, {"b", "missing"}}, prompt.Think, prompt.Plan, prompt.Write, prompt.SingleCall)
		require.Len(t, prompts, 4)
		assert.Equal(t, []string{"b"}, saw(prompts[0]), "the newest message first")
		assert.Empty(t, saw(prompts[1]), "the planner reads the thought only")
		assert.Empty(t, saw(prompts[2]))
		assert.Equal(t, []string{"b"}, saw(prompts[3]))
		assert.Contains(t, prompts[0].Human(), `[图片][图片]<picture n="1"></picture></msg>`)
	}
	assert.Equal(t, []string{"b", "b", "missing", "missing"}, f.internet.requests())
	n := f.Counts()
	assert.EqualValues(t, 2, n.Pictures)
	assert.EqualValues(t, 2, n.PicturesFailed)
}

func TestPictures_Describes(t *testing.T) {
	f := newFixture(t, Pictures{Max: 8, Describe: func(_ context.Context, p persona.Picture) (string, error) {
		switch strings.TrimPrefix(string(p.Data), png) {
		case "panics":
			panic("describe")
		case "fails":
			return "", errors.New("unknown")
		case "banned":
			return "赌博", nil
		}
		return " 一只猫 ", nil
	}})
	prompts := f.turn(t, nil, [][]string{{"panics", "fails", "banned", "cat"}}, prompt.SingleCall, prompt.Plan)
	require.Len(t, prompts, 2)
	for _, p := range prompts {
		assert.Empty(t, saw(p))
		assert.Contains(t, p.Human(), "[图片][图片][图片][图片：一只猫]</msg>")
	}
	n := f.Counts()
	assert.EqualValues(t, 1, n.Pictures)
	assert.EqualValues(t, 3, n.PicturesFailed)
}

func TestPictures_PromptKinds(t *testing.T) {
	f := newFixture(t, Pictures{ContentPart: func(p persona.Picture) llms.ContentPart { return llms.TextPart(p.DataURL()) }})
	prompts := f.turn(t, nil, [][]string{{"a"}}, prompt.SingleCall)
	require.Len(t, prompts, 1)
	assert.Contains(t, prompts[0].Human(), "data:image/png;base64,")
}

func TestPictures_NoPicturesInReports(t *testing.T) {
	f := newFixture(t, Pictures{})
	prompts := f.turn(t, func(j *engine.Job) { j.Rules = "只报告" }, [][]string{{"a"}}, prompt.SingleCall)
	require.Len(t, prompts, 1)
	assert.Empty(t, saw(prompts[0]))
	assert.Empty(t, f.internet.requests())
}

func TestPictures_ReleasesFailedTurn(t *testing.T) {
	f := newFixture(t, Pictures{})
	f.turn(t, func(j *engine.Job) {
		ask := j.Ask
		j.Ask = func(ctx context.Context, turn *engine.Turn) (engine.Answer, error) {
			_, err := ask(ctx, turn)
			assert.NoError(t, err)
			assert.Len(t, f.turns, 1, "during the turn")
			return engine.Answer{}, errors.New("failed")
		}
	}, [][]string{{"a"}}, prompt.SingleCall)
	assert.Equal(t, []string{"a"}, f.internet.requests())
}

func TestPictures_NegativeOptions(t *testing.T) {
	for _, p := range []Pictures{{Max: -1}, {MaxBytes: -1}, {Timeout: -1}} {
		_, err := New(newFixture(t, Pictures{}).engine, Options{Pictures: &p})
		assert.ErrorContains(t, err, "Options.Reply.Pictures")
	}
}
