package models_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var servers = map[string]modeltest.Server{"Ollama": modeltest.Ollama, "vLLM": modeltest.VLLM, "llama.cpp": modeltest.LlamaCpp}

// TestServers: the client reads the answers, tool calls and errors of servers of local models, with and without streaming.
func TestServers(t *testing.T) {
	for name, server := range servers {
		for _, options := range [][]llms.CallOption{nil, {stream}} {
			m := modeltest.New(modeltest.Step{Text: "在的", Reasoning: "他在叫我"}, modeltest.Call("look", map[string]string{"q": "a:b"}), modeltest.Say("好"))
			backend := modeltest.Backend{Server: server, Model: m, Context: 1000}
			api := httptest.NewServer(backend.Handler())
			client, err := models.OpenAI(api.URL+"/v1", "m", "", models.OpenAIOptions{})
			require.NoError(t, err)

			text, err := asked(t.Context(), client, options...)
			require.NoError(t, err, name)
			assert.Equal(t, "在的", text, name)
			tool := llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "look"}}})
			resp, err := client.GenerateContent(t.Context(), prompt("看看"), append(options, tool)...)
			require.NoError(t, err, name)
			require.Len(t, resp.Choices[0].ToolCalls, 1)
			assert.JSONEq(t, `{"q":"a:b"}`, resp.Choices[0].ToolCalls[0].FunctionCall.Arguments)

			kindOf := func(m llms.Model, messages []llms.MessageContent) models.FailureKind {
				_, err := m.GenerateContent(t.Context(), messages, options...)
				f, _ := models.Cause(err)
				return f.Kind
			}
			long := prompt(string(make([]byte, 2000)))
			other, err := models.OpenAI(api.URL+"/v1", "other", "", models.OpenAIOptions{})
			require.NoError(t, err)
			switch server {
			case modeltest.Ollama:
				assert.Equal(t, models.Unknown, kindOf(client, long), "it cuts the prompt silently")
				assert.Equal(t, models.NotFound, kindOf(other, prompt("在吗")))
			case modeltest.VLLM:
				assert.Equal(t, models.PromptTooLong, kindOf(client, long))
				assert.Equal(t, models.NotFound, kindOf(other, prompt("在吗")))
			case modeltest.LlamaCpp:
				assert.Equal(t, models.PromptTooLong, kindOf(client, long))
				assert.Equal(t, models.Unknown, kindOf(other, prompt("在吗")), "it serves one model under any name")
			}

			list, err := http.Get(api.URL + "/v1/models")
			require.NoError(t, err)
			var got struct{ Data []struct{ ID string } }
			require.NoError(t, json.NewDecoder(list.Body).Decode(&got))
			require.NoError(t, list.Body.Close())
			assert.Equal(t, "m", got.Data[0].ID)
			api.Close()
		}
	}
}

// TestServers_Loading: each server shows in its own way that it loads the model. The answer comes when it is loaded, and nothing counts as a
// failure.
func TestServers_Loading(t *testing.T) {
	for name, server := range servers {
		if server == modeltest.VLLM {
			continue // it does not listen; see TestLoading_Refused
		}
		synctest.Test(t, func(t *testing.T) {
			loaded := make(chan struct{})
			time.AfterFunc(25*time.Second, func() { close(loaded) })
			b := modeltest.Backend{Server: server, Model: modeltest.Always(modeltest.Say("在的")), Loading: loaded}
			c := chain(t, models.ChainOptions{}, atHome(t, b.Handler()))
			begin := time.Now()
			text, err := asked(t.Context(), c)
			require.NoError(t, err, name)
			assert.Equal(t, "在的", text)
			assert.Equal(t, 25*time.Second, time.Since(begin).Truncate(5*time.Second), name)
			assert.Equal(t, models.Closed, c.Stats()[0].State)
		})
	}
}

// TestServers_Health: llama.cpp says under /health whether its model is loaded.
func TestServers_Health(t *testing.T) {
	loaded := make(chan struct{})
	api := httptest.NewServer(modeltest.Backend{Server: modeltest.LlamaCpp, Loading: loaded}.Handler())
	defer api.Close()
	get := func() (int, string) {
		resp, err := http.Get(api.URL + "/health")
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	status, body := get()
	assert.Equal(t, 503, status)
	assert.Contains(t, body, "Loading model")
	close(loaded)
	status, body = get()
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"status":"ok"}`, body)
}
