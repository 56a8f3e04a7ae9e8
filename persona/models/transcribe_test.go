package models_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// heard is a prompt with audio, and with texts.
func heard(mediaType string, data []byte, texts ...string) []llms.MessageContent {
	m := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart(mediaType, data)}}}
	for _, text := range texts {
		m = append(m, llms.TextParts(llms.ChatMessageTypeSystem, text))
	}
	return m
}

// TestTranscriber_Request: the form has the bytes, a name with a fitting extension, the model and the hint.
func TestTranscriber_Request(t *testing.T) {
	fake := modeltest.Always(modeltest.Say("你好"))
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	m := transcriberAt(t, api.URL, "")
	data := []byte("\x00\r\n--\r\n\xff" + strings.Repeat("x", 100<<10))
	for mediaType, want := range map[string]struct{ file, kind string }{
		"audio/mpeg":             {"voice.mp3", "audio/mpeg"},
		"audio/mp3":              {"voice.mp3", "audio/mp3"},
		"audio/wav":              {"voice.wav", "audio/wav"},
		"audio/x-wav":            {"voice.wav", "audio/x-wav"},
		"audio/vnd.wave":         {"voice.wav", "audio/vnd.wave"},
		"audio/ogg; codecs=opus": {"voice.ogg", "audio/ogg"},
		"audio/opus":             {"voice.ogg", "audio/opus"},
		"Audio/AMR":              {"voice.amr", "audio/amr"},
		"audio/mp4":              {"voice.m4a", "audio/mp4"},
		"audio/x-m4a":            {"voice.m4a", "audio/x-m4a"},
		"audio/flac":             {"voice.flac", "audio/flac"},
	} {
		got, err := models.Transcribe(t.Context(), m, data, mediaType)
		require.NoError(t, err)
		assert.Equal(t, "你好", got)
		p := fake.Prompts()[len(fake.Prompts())-1]
		assert.Equal(t, want.file, p.File, mediaType)
		assert.Equal(t, []llms.ContentPart{llms.BinaryPart(want.kind, data)}, p.Messages[0].Parts, mediaType)
		assert.Equal(t, []string{"m", "json"}, []string{p.Options.Model, p.Format})
	}

	resp, err := m.GenerateContent(t.Context(), heard("audio/mpeg", mp3, "小炉", "张三"), llms.WithModel("other"))
	require.NoError(t, err)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	p := fake.Prompts()[len(fake.Prompts())-1]
	assert.Equal(t, "other", p.Options.Model)
	assert.Equal(t, llms.TextContent{Text: "小炉\n张三"}, p.Messages[0].Parts[0])
}

// TestTranscriber_BadMessages: a chain calls the next model, and the server gets no request.
func TestTranscriber_BadMessages(t *testing.T) {
	fake := modeltest.New()
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	m := transcriberAt(t, api.URL, "")
	for want, messages := range map[string][]llms.MessageContent{
		"a transcription needs one part with audio, but the messages have 0": prompt("你好"),
		"a transcription needs one part with audio, but the messages have 2": append(heard("audio/mpeg", mp3), heard("audio/mpeg", mp3)...),
		`the MIME type "image/png" is not that of audio`:                     heard("image/png", mp3),
		`the MIME type "" is not that of audio`:                              heard("", mp3),
		`the MIME type "audio/x\r\nX: y" is not that of audio`:               heard("audio/x\r\nX: y", mp3),
		"the audio is empty": heard("audio/mpeg", nil),
		"a transcription has no part of the type llms.ToolCall": {{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{}}}},
	} {
		_, err := m.GenerateContent(t.Context(), messages)
		require.EqualError(t, err, "m: invalid request: "+want)
		_, err = chain(t, models.ChainOptions{}, m).GenerateContent(t.Context(), messages)
		require.EqualError(t, err, "models: no model answered; a: invalid request: "+want)
	}
	_, err := llms.GenerateFromSinglePrompt(t.Context(), m, "你好")
	require.ErrorContains(t, err, "needs one part with audio")
	assert.Empty(t, fake.Prompts())
}

// TestTranscriber_Answers reads answers in the forms of services, written by hand from their documentation.
func TestTranscriber_Answers(t *testing.T) {
	const guess = 1004 // a message with a picture or audio
	for name, tc := range map[string]struct {
		body, want string
		usage      models.Usage
	}{
		"OpenAI, tokens":      {`{"text":"你好","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":3,"total_tokens":17}}`, "你好", models.Usage{Calls: 1, Prompt: 14, Completion: 3}},
		"OpenAI, duration":    {`{"text":"你好","usage":{"type":"duration","seconds":2.13}}`, "你好", models.Usage{Calls: 1, Prompt: 22, Completion: 2, Estimated: true}},
		"vLLM":                {`{"text":" 你好","usage":{"type":"duration","seconds":3}}`, "你好", models.Usage{Calls: 1, Prompt: 30, Completion: 2, Estimated: true}},
		"names of a chat":     {`{"text":"你好","usage":{"prompt_tokens":14,"completion_tokens":3,"total_tokens":17}}`, "你好", models.Usage{Calls: 1, Prompt: 14, Completion: 3}},
		"total":               {`{"text":"你好","usage":{"total_tokens":17}}`, "你好", models.Usage{Calls: 1, Prompt: 17, Completion: 2, Estimated: true}},
		"Groq":                {`{"text":" 你好 ","x_groq":{"id":"req_1"}}`, "你好", models.Usage{Calls: 1, Prompt: guess, Completion: 2, Estimated: true}},
		"whisper.cpp":         {`{"text":" 你好\n"}`, "你好", models.Usage{Calls: 1, Prompt: guess, Completion: 2, Estimated: true}},
		"silence":             {`{"text":""}`, "", models.Usage{Calls: 1, Prompt: guess, Estimated: true}},
		"silence, whitespace": {`{"text":" \n","usage":{"type":"duration","seconds":0.4}}`, "", models.Usage{Calls: 1, Prompt: 4}},
		"odd usage":           {`{"text":"你好","usage":{"type":"duration","seconds":"3"}}`, "你好", models.Usage{Calls: 1, Prompt: guess, Completion: 2, Estimated: true}},
		"impossible usage":    {`{"text":"你好","usage":{"input_tokens":-1,"seconds":1e300}}`, "你好", models.Usage{Calls: 1, Prompt: guess, Completion: 2, Estimated: true}},
		"usage is a list":     {`{"text":"你好","usage":[1]}`, "你好", models.Usage{Calls: 1, Prompt: guess, Completion: 2, Estimated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var usage models.Usage
			m := models.Meter(transcriberAt(t, serve(t, 200, jsonish, tc.body), ""), func(_ context.Context, u models.Usage) { usage = u })
			got, err := models.Transcribe(t.Context(), m, make([]byte, 1<<20), "audio/mpeg")
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.usage, usage)
		})
	}
}

// TestTranscriber_BadAnswers: an answer without a text is no silence.
func TestTranscriber_BadAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:             "m: empty answer: the answer is empty and has no finish reason",
		`null`:           "m: empty answer: the answer is empty and has no finish reason",
		`{"text":null}`:  "m: empty answer: the answer is empty and has no finish reason",
		`{"text":["a"]}`: "m: broken off: json: cannot unmarshal array into Go struct field .Text of type string",
		`你好`:             "m: broken off: invalid character 'ä' looking for beginning of value",
		``:               "m: broken off: unexpected end of JSON input",
		`{"error":"no 'file' field in the request"}`:           "m: empty answer: an error with status 200: no 'file' field in the request",
		`{"text":"` + strings.Repeat("话", 1<<20/3+1) + `"}`:    "m: broken off: the answer is larger than 1 MiB",
		"<html><title>登录</title></html>":                       "m: web page (200): the answer is a web page",
		`{"code":20012,"message":"Insufficient Balance"}`:      "m: out of quota: an error with status 200: 20012: Insufficient Balance",
		`{"text":"` + strings.Repeat("话", 1<<18) + `","a":1}x`: "m: broken off: invalid character 'x' after top-level value",
	} {
		_, err := transcribe(t.Context(), transcriberAt(t, serve(t, 200, jsonish, body), ""))
		require.EqualError(t, err, want)
	}
}

// TestTranscribe_OddModels: a model in process may return anything.
func TestTranscribe_OddModels(t *testing.T) {
	for want, step := range map[string]modeltest.Step{
		"":                      modeltest.Say(""),
		"你好":                    modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {Content: "你好"}}}, nil),
		"models: Transcribe: t": modeltest.Raw(nil, nil),
		"models: Transcribe: the answer is empty and has no finish reason": modeltest.Raw(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil),
	} {
		got, err := transcribe(t.Context(), modeltest.New(step))
		if strings.HasPrefix(want, "models:") {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}
