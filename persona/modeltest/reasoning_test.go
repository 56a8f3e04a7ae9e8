package modeltest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHandlerWith_RequireReasoning: a thinking model accepts tool results with its reasoning only.
func TestHandlerWith_RequireReasoning(t *testing.T) {
	for name, tc := range map[string]struct {
		reasoning string // field of the message
		required  bool
		status    int
		body      string
	}{
		"given":        {`"reasoning_content":"查一下",`, true, 200, "有雨"},
		"missing":      {"", true, 400, "The `reasoning_content` in the thinking mode must be passed back to the API."},
		"other":        {`"reasoning_content":"别的",`, true, 400, "must be passed back"},
		"other field":  {`"reasoning":"查一下",`, true, 400, "must be passed back"},
		"not required": {"", false, 200, "有雨"},
	} {
		t.Run(name, func(t *testing.T) {
			call := modeltest.Call("weather", nil)
			call.Reasoning = "查一下"
			api := httptest.NewServer(modeltest.New(call, modeltest.Say("有雨")).HandlerWith(modeltest.HandlerOptions{RequireReasoning: tc.required}))
			defer api.Close()
			post := func(body string) (int, string) {
				resp, err := http.Post(api.URL+"/chat/completions", "application/json", strings.NewReader(body))
				require.NoError(t, err)
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				return resp.StatusCode, string(text)
			}
			_, answer := post(`{"messages":[{"role":"user","content":"天气"}]}`)
			assert.Contains(t, answer, `"reasoning_content":"查一下"`)
			status, answer := post(`{"messages":[{"role":"assistant",` + tc.reasoning + `"tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"weather","arguments":"{}"}}]}]}`)
			assert.Equal(t, tc.status, status)
			assert.Contains(t, answer, tc.body)
		})
	}
}
