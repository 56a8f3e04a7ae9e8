package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// form is a request for a transcript, written by hand as curl sends it.
const form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"voice.ogg\"\r\nContent-Type: audio/ogg\r\n\r\nOggS\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"response_format\"\r\n\r\njson\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n小炉\r\n--b--\r\n"

func send(t *testing.T, url, contentType, body string) (status int, kind, answer string) {
	t.Helper()
	resp, err := http.Post(url, contentType, strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(text)
}

func TestHandler_Transcriptions(t *testing.T) {
	const multi = "multipart/form-data; boundary=b"
	m := modeltest.New(modeltest.Say("你好"),
		modeltest.Step{Text: "在吗", Info: map[string]any{"AudioSeconds": 2.5}},
		modeltest.Step{Text: "在吗", Info: map[string]any{"PromptTokens": 9, "CompletionTokens": 4, "TotalTokens": 13}})
	_, url := overHTTP(t, m)
	url += "/v1/audio/transcriptions"
	for _, want := range []string{
		`{"text":"你好"}`,
		`{"text":"在吗","usage":{"type":"duration","seconds":2.5}}`,
		`{"text":"在吗","usage":{"type":"tokens","input_tokens":9,"output_tokens":4,"total_tokens":13}}`,
	} {
		status, kind, answer := send(t, url, multi, form)
		assert.Equal(t, 200, status)
		assert.Equal(t, "application/json", kind)
		assert.JSONEq(t, want, answer)
	}
	p := m.Prompts()[0]
	assert.Equal(t, []string{"whisper-1", "json", "voice.ogg"}, []string{p.Options.Model, p.Format, p.File})
	assert.Equal(t, []llms.ContentPart{llms.TextContent{Text: "小炉"}, llms.BinaryPart("audio/ogg", []byte("OggS"))}, p.Messages[0].Parts)

	for body, want := range map[string]string{
		"{}": "request",
		strings.Replace(form, `"file"`, `"audio"`, 1):     "no such file",
		strings.Replace(form, `"model"`, `"no model"`, 1): "the model is missing",
	} {
		status, _, answer := send(t, url, multi, body)
		assert.Equal(t, 400, status)
		assert.Contains(t, answer, want)
	}
	assert.Len(t, m.Prompts(), 3)
}

func TestHandler_Speech(t *testing.T) {
	m := modeltest.New(modeltest.Voice([]byte("ID3\x00"), "audio/mpeg"), modeltest.HTTPError(503, "busy"))
	_, url := overHTTP(t, m)
	url += "/v1/audio/speech"
	const body = `{"model":"tts-1","input":"你好","voice":"alloy","response_format":"mp3"}`
	status, kind, answer := send(t, url, "application/json", body)
	assert.Equal(t, []any{200, "audio/mpeg", "ID3\x00"}, []any{status, kind, answer})
	p := m.Prompts()[0]
	assert.Equal(t, []string{"tts-1", "mp3", "alloy", "你好\n"}, []string{p.Options.Model, p.Format, p.Voice, p.Human()})

	status, _, answer = send(t, url, "application/json", body)
	assert.Equal(t, 503, status)
	assert.Contains(t, answer, "busy")
	for _, body := range []string{"{", `{"model":"tts-1"}`} {
		status, _, _ = send(t, url, "application/json", body)
		assert.Equal(t, 400, status)
	}
}

func TestVoice_InProcess(t *testing.T) {
	resp, err := modeltest.New(modeltest.Voice([]byte("ID3"), "audio/mpeg")).GenerateContent(t.Context(), human("你好"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"Audio": []byte("ID3"), "AudioType": "audio/mpeg"}, resp.Choices[0].GenerationInfo)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
}
