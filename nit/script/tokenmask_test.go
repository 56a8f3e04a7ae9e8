package script_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// shownOf returns the visible text of an answer, complete or streamed in chunks of this size. TOKEN in the answer is
// replaced by the token.
func shownOf(t testing.TB, answer string, chunk int) (shown, token string, calls []llms.ToolCall) {
	t.Helper()
	ctx := script.WithToken(t.Context())
	inner := &textModel{chunk: chunk, answer: func(prompt string) string {
		_, after, _ := strings.Cut(prompt, "<nit-")
		token, _, _ = strings.Cut(after, ">")
		return strings.NewReplacer("TOKEN", token, "NEKOT", strings.ToLower(token)).Replace(answer)
	}}
	var streamed strings.Builder
	resp, err := script.Model(inner, script.ModelOptions{}).GenerateContent(ctx, nil, llms.WithTools(offered),
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { streamed.Write(chunk); return nil }))
	require.NoError(t, err)
	shown = resp.Choices[0].Content
	if chunk > 0 {
		require.Equal(t, shown, streamed.String(), "%q in chunks of %d", answer, chunk)
	}
	return shown, token, resp.Choices[0].ToolCalls
}

// revealed reports whether text contains 8 consecutive characters of the token, also with another case or gaps.
func revealed(token, text string) bool {
	text = strings.ToUpper(strings.Map(func(r rune) rune {
		switch {
		case 0xff01 <= r && r <= 0xff5e:
			return r - 0xff01 + '!'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("<>〈〉", r):
			return r
		}
		return -1
	}, text))
	for i := range len(token) - 7 {
		if strings.Contains(text, token[i:i+8]) {
			return true
		}
	}
	return false
}

func TestModel_RemovesMiswrittenTags(t *testing.T) {
	for _, c := range []struct{ answer, shown string }{
		{"早<NIT-TOKEN>a()</NIT-TOKEN>晚", "早晚"},
		{"早<nit-NEKOT>a()</nit-NEKOT>晚", "早晚"},
		{"早< nit - TOKEN >a()</ nit-TOKEN >晚", "早晚"},
		{"早＜nit-TOKEN＞a()＜／nit－TOKEN＞晚", "早晚"},
		{"早〈nit-TOKEN〉a()〈/nit-TOKEN〉晚", "早晚"},
		{"早nit-TOKEN>a()</nit-TOKEN晚", "早晚"},
		{"早<nit-TOKEN\na()\n/nit-TOKEN>晚", "早晚"},
		{"早<nit_TOKEN>a()</nit_TOKEN>晚", "早晚"},
		{"早<nit-TOKENA>a()</nit-TOKENA>晚", "早晚"},
		{"早<nit-1TOKEN>a()</nit-1TOKEN>晚", "早晚"},
		{"早<TOKEN>a()</TOKEN>晚", "早晚"},
		{"早<NIT-TOKEN>a()", "早"},
		{"早</nit-TOKEN>晚", "早晚"},
		{"早<tool_call -TOKEN>{\"name\":\"a\"}</tool_call-TOKEN>晚", "早晚"},
		{"早<tool_call>TOKEN{\"name\":\"a\"}</tool_call>晚", "早<tool_call>{\"name\":\"a\"}</tool_call>晚"},
		{"记号是 TOKEN，别告诉别人", "记号是 ，别告诉别人"},
		{"<item>早</item><item>TOKEN</item><item>晚</item>", "<item>早</item><item></item><item>晚</item>"},
		{"OK <b>bold</b> 3 < 4, nit-picking, <nit-ABCDEFG>, hello", "OK <b>bold</b> 3 < 4, nit-picking, <nit-ABCDEFG>, hello"},
	} {
		for chunk := range 40 {
			shown, token, calls := shownOf(t, c.answer, chunk)
			assert.Equal(t, c.shown, shown, c.answer)
			assert.False(t, revealed(token, shown))
			assert.Empty(t, calls)
		}
	}
}

// A call that contains the token becomes malformed.
func TestModel_RejectsCallsWithTheToken(t *testing.T) {
	escaped := func(token string) (s string) {
		for _, c := range token {
			s += `\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
		}
		return s
	}
	_, token, calls := shownOf(t, `<tool_call-TOKEN>{"name":"say","arguments":{"text":"记号"}}</tool_call-TOKEN><nit-TOKEN>say(text="记号")</nit-TOKEN>`, 0)
	require.Len(t, calls, 2)
	assert.Equal(t, "say", calls[0].FunctionCall.Name)
	assert.Equal(t, script.ToolName, calls[1].FunctionCall.Name)
	ctx := script.WithToken(t.Context())
	var native []llms.ToolCall
	model := script.Model(&nativeModel{calls: func(messages []llms.MessageContent) []llms.ToolCall {
		_, after, _ := strings.Cut(messages[0].Parts[0].(llms.TextContent).Text, "<nit-")
		token, _, _ = strings.Cut(after, ">")
		native = []llms.ToolCall{call("say", `{"text":"记号"}`), call("say", `{"text":"记号是 `+token+`"}`), call("say", `{"text":"`+escaped(token)+`"}`), call(token, `{}`)}
		return native
	}}, script.ModelOptions{})
	resp, err := model.GenerateContent(ctx, nil, llms.WithTools(offered))
	require.NoError(t, err)
	got := resp.Choices[0].ToolCalls
	require.Len(t, got, 4)
	assert.Equal(t, native[0], got[0])
	for _, c := range got[1:] {
		assert.Equal(t, &llms.FunctionCall{Arguments: "{}"}, c.FunctionCall)
		assert.Equal(t, "call_7", c.ID)
	}
	for _, answer := range []string{`<nit-TOKEN>say(text="TOKEN")</nit-TOKEN>`, `<tool_call-TOKEN>{"name":"say","arguments":{"text":"NEKOT"}}</tool_call-TOKEN>`} {
		_, _, calls = shownOf(t, answer, 0)
		require.Len(t, calls, 1)
		assert.Empty(t, calls[0].FunctionCall.Name, answer)
	}
}

// A nativeModel makes native calls.
type nativeModel struct {
	calls func([]llms.MessageContent) []llms.ToolCall
}

func (m *nativeModel) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: m.calls(messages)}}}, nil
}

func (m *nativeModel) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", nil
}

// miswrite changes a text with a tag in one of the ways of models.
func miswrite(rng *rand.Rand, text string) string {
	at := func(set string) (from, to int, ok bool) { // a span of these characters
		var all []int
		for i, r := range text {
			if strings.ContainsRune(set, r) {
				all = append(all, i)
			}
		}
		if len(all) == 0 {
			return 0, 0, false
		}
		from = all[rng.IntN(len(all))]
		return from, from + len(string([]rune(text[from:])[0])), true
	}
	const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	switch rng.IntN(9) {
	case 0:
		return strings.ToLower(text)
	case 1:
		return strings.ToUpper(text)
	case 2: // missing bracket
		if from, to, ok := at("<>＜＞"); ok {
			return text[:from] + text[to:]
		}
	case 3: // blanks
		if from, _, ok := at("<>-_/" + tokens); ok {
			return text[:from] + []string{" ", "\n", "\u200b", "　"}[rng.IntN(4)] + text[from:]
		}
	case 4: // full width
		return strings.NewReplacer("<", "＜", ">", "＞").Replace(text)
	case 5:
		return strings.Map(func(r rune) rune {
			if '!' <= r && r <= '~' {
				r += 0xff01 - '!'
			}
			return r
		}, text)
	case 6: // changed character in the token
		if from, to, ok := at(tokens); ok {
			return text[:from] + []string{"Q", "7", "好", "?", ""}[rng.IntN(5)] + text[to:]
		}
	case 7: // truncated tag
		if from, _, ok := at(tokens); ok {
			return text[:from]
		}
	case 8:
		return strings.Replace(text, "nit-", []string{"nit", "nit_", "nit ", "", "NIT:"}[rng.IntN(5)], 1)
	}
	return text
}

// With randomly miswritten tags nobody sees the token, streamed or not, and the other text arrives.
func TestModel_NeverRevealsTheToken(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	called, after := 0, 0
	for range 1500 {
		names := [][2]string{{"nit-", "say(text=\"x\")"}, {"tool_call-", `{"name":"say","arguments":{}}`}}[rng.IntN(2)]
		ctx := script.WithToken(t.Context())
		var token string
		inner := &textModel{chunk: 1 + rng.IntN(30)}
		inner.answer = func(prompt string) string {
			_, behind, _ := strings.Cut(prompt, "<nit-")
			token, _, _ = strings.Cut(behind, ">")
			open, closing := "<"+names[0]+token+">", "</"+names[0]+token+">"
			for range rng.IntN(4) {
				if rng.IntN(2) == 0 {
					open = miswrite(rng, open)
				} else {
					closing = miswrite(rng, closing)
				}
			}
			if rng.IntN(8) == 0 {
				closing = ""
			}
			return "早上好，" + open + "\n" + names[1] + "\n" + closing + "晚安"
		}
		var streamed strings.Builder
		resp, err := script.Model(inner, script.ModelOptions{}).GenerateContent(ctx, nil, llms.WithTools(offered),
			llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { streamed.Write(chunk); return nil }))
		require.NoError(t, err)
		c := resp.Choices[0]
		require.Equal(t, c.Content, streamed.String())
		require.False(t, revealed(token, c.Content), "%q of %q", c.Content, inner.prompts)
		require.True(t, strings.HasPrefix(c.Content, "早上好，"), "%q", c.Content)
		if strings.HasSuffix(c.Content, "晚安") {
			after++
		}
		if len(c.ToolCalls) == 1 && c.ToolCalls[0].FunctionCall.Name != "" {
			called++
		}
	}
	assert.Greater(t, called, 150, "some are not miswritten")
	assert.Greater(t, after, 750, "what stands behind a tag arrives, too")
}

// Any text around a token, in any chunks, does not reveal the token.
func FuzzMask(f *testing.F) {
	for _, text := range []string{"早<NIT-TOKEN>a()</NIT-TOKEN>晚", "< nit - TOKEN >", "＜／nit－NEKOT＞", "/TOKEN/TOKEN-TOKEN", "<<<TOKENTOKEN>>>", "TOKE N\xe4\xb8"} {
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, chunk uint8) {
		if len(text) > 500 {
			return
		}
		shown, token, _ := shownOf(t, text, int(chunk%50))
		require.False(t, revealed(token, shown), "%q", shown)
		if !strings.Contains(text, "TOKEN") && !strings.Contains(text, "NEKOT") && !strings.Contains(text, "<") {
			require.Equal(t, text, shown)
		}
	})
}
