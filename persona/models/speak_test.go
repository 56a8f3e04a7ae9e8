package models_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// TestSpeech_Request: the request has the model, the text, the voice and the format.
func TestSpeech_Request(t *testing.T) {
	fake := modeltest.Always(voice("声"))
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	var usage models.Usage
	m := models.Meter(speechAt(t, api.URL, models.OpenAIOptions{}), func(_ context.Context, u models.Usage) { usage = u })
	audio, mediaType, err := models.Speak(t.Context(), m, "\"你好\"\n")
	require.NoError(t, err)
	assert.Equal(t, "声", string(audio))
	assert.Equal(t, "audio/mpeg", mediaType)
	assert.Equal(t, models.Usage{Calls: 1, Prompt: 7, Estimated: true}, usage, "the text")
	p := fake.Prompts()[0]
	assert.Equal(t, "\"你好\"\n\n", p.Human())
	assert.Equal(t, []string{"m", "alloy", "mp3", ""}, []string{p.Options.Model, p.Voice, p.Format, p.File})

	m, err = models.OpenAISpeech(api.URL, "m", "", "", models.OpenAIOptions{AudioFormat: "wav"})
	require.NoError(t, err)
	_, err = m.GenerateContent(t.Context(), prompt("你好"), llms.WithModel("other"))
	require.NoError(t, err)
	p = fake.Prompts()[1]
	assert.Equal(t, []string{"other", "", "wav"}, []string{p.Options.Model, p.Voice, p.Format})
}

// TestSpeech_BadMessages: a chain calls the next model, and the server gets no request.
func TestSpeech_BadMessages(t *testing.T) {
	fake := modeltest.New()
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	m := speechAt(t, api.URL, models.OpenAIOptions{})
	for want, messages := range map[string][]llms.MessageContent{
		"speech needs one text, but the messages have 0":    nil,
		"speech needs one text, but the messages have 2":    append(prompt("你"), prompt("好")...),
		"the text to speak is blank":                        prompt(" \n"),
		"speech has no part of the type llms.BinaryContent": heard("audio/mpeg", mp3),
	} {
		_, err := m.GenerateContent(t.Context(), messages)
		require.EqualError(t, err, "m: invalid request: "+want)
	}
	assert.Empty(t, fake.Prompts())
}

// TestSpeech_Answers: audio is told from pages, JSON and nothing, whatever its content type.
func TestSpeech_Answers(t *testing.T) {
	const large = 10 << 20
	for name, tc := range map[string]struct {
		kind, body, format string
		want               string // media type, or the error
	}{
		"mp3":               {"audio/mpeg", string(mp3), "", "audio/mpeg"},
		"parameters":        {"Audio/PCM; rate=24000", "\x00\x00", "pcm", "audio/pcm"},
		"no type":           {"", string(mp3), "", "audio/mpeg"},
		"bytes":             {"application/octet-stream", "RIFF\x00\x00\x00\x00WAVE", "wav", "audio/wav"},
		"starts like JSON":  {"audio/pcm", "{\x00<\x00", "pcm", "audio/pcm"},
		"largest":           {"audio/mpeg", strings.Repeat("x", large), "", "audio/mpeg"},
		"too large":         {"audio/mpeg", strings.Repeat("x", large+1), "", "m: broken off: the answer is larger than 10 MiB"},
		"nothing":           {"audio/mpeg", "", "", "m: empty answer: the answer is empty"},
		"page":              {"text/html", "<!doctype html><title>登录</title>", "", "m: web page (200): the answer is a web page"},
		"page without type": {"", "\n<html>", "", "m: web page (200): the answer is a web page"},
		"text":              {"text/plain; charset=utf-8", "busy", "", "m: broken off: the answer is no audio"},
		"JSON":              {"application/json", `{"audio":"SUQz"}`, "", "m: broken off: the answer is no audio"},
		"JSON, no type":     {"", `{"audio":`, "", "m: broken off: the answer is no audio"},
		"error":             {"application/problem+json", `{"error":{"message":"voice not found: sk-0123456789abcdef"}}`, "", "m: broken off: an error with status 200: voice not found: …"},
		"error as audio":    {"audio/mpeg", `{"error":{"message":"insufficient balance"}}`, "", "m: out of quota: an error with status 200: insufficient balance"},
	} {
		t.Run(name, func(t *testing.T) {
			m := speechAt(t, serve(t, 200, http.Header{"Content-Type": {tc.kind}}, tc.body), models.OpenAIOptions{AudioFormat: tc.format})
			audio, mediaType, err := models.Speak(t.Context(), m, "你好")
			if strings.HasPrefix(tc.want, "m: ") {
				require.EqualError(t, err, tc.want)
				assert.Nil(t, audio)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, mediaType)
			assert.True(t, string(audio) == tc.body)
		})
	}
}

// TestSpeak_NoAudio: a model of another kind is an error, no silence.
func TestSpeak_NoAudio(t *testing.T) {
	for _, step := range []modeltest.Step{
		modeltest.Say("你好"), modeltest.Raw(nil, nil), modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil),
		modeltest.Voice(nil, "audio/mpeg"), {Info: map[string]any{"Audio": "text"}},
	} {
		_, err := speak(t.Context(), modeltest.New(step))
		require.EqualError(t, err, "models: Speak: the answer has no audio")
	}
	audio, mediaType, err := models.Speak(t.Context(), modeltest.New(voice("声")), "你好")
	require.NoError(t, err)
	assert.Equal(t, []string{"声", "audio/mpeg"}, []string{string(audio), mediaType})
}
