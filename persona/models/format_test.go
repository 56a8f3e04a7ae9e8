package models_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	talk "github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// A formatServer is a server that rejects some response formats. It records those that it got.
type formatServer struct {
	status  int
	rejects []string // types of response_format
	message string

	mu  sync.Mutex
	got []string
}

func (s *formatServer) answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	kind := ""
	for _, k := range []string{"json_schema", "json_object"} {
		if strings.Contains(p.Format, `"type":"`+k+`"`) {
			kind = k
		}
	}
	s.mu.Lock()
	s.got = append(s.got, kind)
	s.mu.Unlock()
	if slices.Contains(s.rejects, kind) {
		return modeltest.HTTPError(s.status, s.message)
	}
	return modeltest.Say("答：" + kind)
}

func (s *formatServer) client(t *testing.T, o models.OpenAIOptions) llms.Model {
	t.Helper()
	api := httptest.NewServer(modeltest.Func(s.answer).Handler())
	t.Cleanup(api.Close)
	o.Base = &http.Transport{DisableKeepAlives: true}
	m, err := models.OpenAI(api.URL, "m", "k", o)
	require.NoError(t, err)
	return m
}

func askForPlan(ctx context.Context, m llms.Model, options ...llms.CallOption) (talk.Reply, error) {
	turn := talk.Turn{Model: m, Options: options, Schema: talk.AnswerSchema(talk.Scene{Kind: talk.Plan, Choices: talk.Choices{AllowedActions: []string{"no_reply"}}})}
	return turn.Run(ctx, "sys", "scene")
}

// A client finds the best format that its server accepts, and remembers it.
func TestOpenAI_ResponseFormat(t *testing.T) {
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	for name, c := range map[string]struct {
		server *formatServer
		o      models.OpenAIOptions
		got    []string // of three calls
		text   string
		fails  bool
	}{
		"schemas":          {server: &formatServer{}, got: []string{"json_schema", "json_schema", "json_schema"}, text: "答：json_schema"},
		"objects":          {server: &formatServer{status: 400, rejects: []string{"json_schema"}, message: "This response_format type is unavailable now"}, got: []string{"json_schema", "json_object", "json_object", "json_object"}, text: "答：json_object"},
		"neither":          {server: &formatServer{status: 422, rejects: []string{"json_schema", "json_object"}, message: "response_format.type: unknown variant"}, got: []string{"json_schema", "json_object", "", "", ""}, text: "答："},
		"another error":    {server: &formatServer{status: 400, rejects: []string{"json_schema"}, message: "prompt is too long"}, got: []string{"json_schema", "json_schema", "json_schema"}, fails: true},
		"an error for all": {server: &formatServer{status: 400, rejects: []string{"json_schema", "json_object", ""}, message: "no response_format, no model"}, got: slices.Repeat([]string{"json_schema", "json_object", ""}, 3), fails: true},
		"overloaded":       {server: &formatServer{status: 503, rejects: []string{"json_schema"}, message: "response_format"}, got: []string{"json_schema", "json_schema", "json_schema"}, fails: true},
		"switched off":     {server: &formatServer{}, o: models.OpenAIOptions{NoSchema: true}, got: []string{"", "", ""}, text: "答："},
	} {
		m := c.server.client(t, c.o)
		for _, options := range [][]llms.CallOption{nil, {stream}, nil} {
			reply, err := askForPlan(t.Context(), m, options...)
			if c.fails {
				require.ErrorContains(t, err, c.server.message, name)
				assert.Equal(t, c.server.status, models.Classify(err).Status, name)
				continue
			}
			require.NoError(t, err, name)
			assert.Equal(t, c.text, reply.Text, name)
		}
		assert.Equal(t, c.got, c.server.got, name)
	}
}

// Many calls at once may learn the same, and all are answered.
func TestOpenAI_ResponseFormatConcurrently(t *testing.T) {
	s := formatServer{status: 400, rejects: []string{"json_schema"}, message: "json_schema is not supported"}
	m := s.client(t, models.OpenAIOptions{})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			reply, err := askForPlan(t.Context(), m)
			assert.NoError(t, err)
			assert.Equal(t, "答：json_object", reply.Text)
		})
	}
	wait.Wait()
}

func TestOpenAI_ResponseFormatRequest(t *testing.T) {
	script := modeltest.New(modeltest.Say("a"), modeltest.Say("b"), modeltest.Say("c"))
	api := httptest.NewServer(script.Handler())
	defer api.Close()
	m, err := models.OpenAI(api.URL, "m", "k", models.OpenAIOptions{Base: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	schema := talk.AnswerSchema(talk.Scene{Kind: talk.Plan, Choices: talk.Choices{AllowedActions: []string{"no_reply"}}})
	_, err = askForPlan(t.Context(), m)
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"type":"json_schema","json_schema":{"name":"plan","strict":true,"schema":%s}}`, schema.JSON), script.Prompts()[0].Format)
	_, err = askForPlan(t.Context(), m, llms.WithJSONMode())
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"json_object"}`, script.Prompts()[1].Format, "the caller's own format stays")
	_, err = llms.GenerateFromSinglePrompt(t.Context(), m, "hi")
	require.NoError(t, err)
	assert.Empty(t, script.Prompts()[2].Format)
}
