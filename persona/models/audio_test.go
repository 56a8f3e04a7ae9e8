package models_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var mp3 = []byte("ID3\x04\x00\x00\x00\xff\xfb\x90")

// voice is an answer with audio.
func voice(text string) modeltest.Step { return modeltest.Voice([]byte(text), "audio/mpeg") }

// A useFunc makes one call of a model of audio. It returns the transcript, or the audio.
type useFunc func(context.Context, llms.Model) (string, error)

func transcribe(ctx context.Context, m llms.Model) (string, error) {
	return models.Transcribe(ctx, m, mp3, "audio/mpeg")
}

func speak(ctx context.Context, m llms.Model) (string, error) {
	audio, _, err := models.Speak(ctx, m, "你好")
	return string(audio), err
}

// audioOf returns a client of a server that answers with bad, a call of it, and another model that answers "你好".
func audioOf(t *testing.T, client string, bad *modeltest.Model) (m llms.Model, use useFunc, good llms.Model) {
	t.Helper()
	o := models.OpenAIOptions{Base: overPipes(t, bad.Handler()).Transport.(*models.Transport).Base}
	var err error
	if client == "speech" {
		m, err = models.OpenAISpeech("http://model.test/v1", "m", "sk-test", "alloy", o)
		use, good = speak, modeltest.Always(voice("你好"))
	} else {
		m, err = models.OpenAITranscriber("http://model.test/v1", "m", "sk-test", o)
		use, good = transcribe, modeltest.Always(modeltest.Say("你好"))
	}
	require.NoError(t, err)
	return m, use, good
}

func transcriberAt(t *testing.T, url, key string) llms.Model {
	t.Helper()
	m, err := models.OpenAITranscriber(url, "m", key, models.OpenAIOptions{Base: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	return m
}

func speechAt(t *testing.T, url string, o models.OpenAIOptions) llms.Model {
	t.Helper()
	o.Base = &http.Transport{DisableKeepAlives: true}
	m, err := models.OpenAISpeech(url, "m", "sk-test", "alloy", o)
	require.NoError(t, err)
	return m
}

// TestAudio_Wrapped: the answers and the purpose pass through all wrappers, and the chain retries.
func TestAudio_Wrapped(t *testing.T) {
	for client, want := range map[string]models.Purpose{"transcriber": models.PurposeHear, "speech": models.PurposeSpeak} {
		synctest.Test(t, func(t *testing.T) {
			answer := modeltest.Say("你好")
			if client == "speech" {
				answer = voice("你好")
			}
			script := modeltest.New(modeltest.RateLimited(7*time.Second), answer, answer)
			m, use, _ := audioOf(t, client, script)
			retry, err := models.Retry(m, models.RetryOptions{Name: client})
			require.NoError(t, err)
			var call models.Call
			var purposes []models.Purpose
			wrapped := models.Observe(models.Meter(chainOf(t, models.ChainOptions{}, models.Candidate{Name: "outer", Model: models.Normalize(retry)}), func(ctx context.Context, _ models.Usage) {
				purposes = append(purposes, models.PurposeOf(ctx))
			}), func(_ context.Context, c models.Call) { call = c })

			begin := time.Now()
			got, err := use(t.Context(), wrapped)
			require.NoError(t, err)
			assert.Equal(t, "你好", got)
			assert.Equal(t, 7*time.Second, time.Since(begin))
			assert.Equal(t, client, call.Model)
			require.Len(t, call.Attempts, 2)
			assert.Equal(t, "rate limited (429)", call.Attempts[0].Reason())
			assert.Equal(t, 2, call.Usage.Calls)

			_, err = use(models.WithPurpose(t.Context(), "mine"), wrapped)
			require.NoError(t, err)
			assert.Equal(t, []models.Purpose{want, "mine"}, purposes)
		})
	}
}

// TestAudio_Environment: the clients read no environment variables, and send no key if it is empty.
func TestAudio_Environment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION"} {
		t.Setenv(name, "http://wrong.invalid")
	}
	var seen []string
	fake := modeltest.New(modeltest.Say("你好"), voice("你好"), modeltest.Say("你好"))
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		assert.Empty(t, r.Header.Get("OpenAI-Organization"))
		fake.Handler().ServeHTTP(w, r)
	}))
	defer api.Close()
	_, err := transcribe(t.Context(), transcriberAt(t, api.URL+"/v1/", "sk-test"))
	require.NoError(t, err)
	_, err = speak(t.Context(), speechAt(t, api.URL+"/v1", models.OpenAIOptions{}))
	require.NoError(t, err)
	_, err = transcribe(t.Context(), transcriberAt(t, api.URL+"/v1", ""))
	require.NoError(t, err)
	assert.Equal(t, []string{"POST /v1/audio/transcriptions Bearer sk-test", "POST /v1/audio/speech Bearer sk-test", "POST /v1/audio/transcriptions "}, seen)
}

// TestAudio_Canceled: a canceled call ends at once, before and during the answer.
func TestAudio_Canceled(t *testing.T) {
	for _, client := range []string{"transcriber", "speech"} {
		for _, text := range []string{"", "半"} {
			synctest.Test(t, func(t *testing.T) {
				m, use, _ := audioOf(t, client, modeltest.Always(modeltest.Hang(text)))
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				begin := time.Now()
				_, err := use(ctx, m)
				require.ErrorIs(t, err, context.Canceled)
				f, _ := models.Cause(err)
				assert.Equal(t, models.Canceled, f.Kind)
				assert.Equal(t, time.Second, time.Since(begin))
			})
		}
	}
}

// TestAudio_NoStreaming: the whole answer comes at the end, and the streaming functions are not called.
func TestAudio_NoStreaming(t *testing.T) {
	fake := modeltest.New(modeltest.Say("你好"), voice("你好"))
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	never := llms.WithStreamingFunc(func(context.Context, []byte) error { return errors.New("called") })
	resp, err := transcriberAt(t, api.URL, "").GenerateContent(t.Context(), heard("audio/mpeg", mp3), never)
	require.NoError(t, err)
	assert.Equal(t, "你好", resp.Choices[0].Content)
	resp, err = speechAt(t, api.URL, models.OpenAIOptions{}).GenerateContent(t.Context(), prompt("你好"), never)
	require.NoError(t, err)
	assert.Empty(t, resp.Choices[0].Content)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	assert.Equal(t, map[string]any{"Audio": []byte("你好"), "AudioType": "audio/mpeg"}, resp.Choices[0].GenerationInfo)
}

// TestAudio_Concurrent: calls do not mix.
func TestAudio_Concurrent(t *testing.T) {
	fake := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if p.Voice != "" {
			return voice(strings.TrimSpace(p.Human()))
		}
		return modeltest.Say(string(p.Messages[0].Parts[0].(llms.BinaryContent).Data))
	})
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	hear, say := transcriberAt(t, api.URL, ""), speechAt(t, api.URL, models.OpenAIOptions{})
	var wg sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat("话", i+1)
		wg.Go(func() {
			audio, _, err := models.Speak(context.Background(), say, text)
			assert.NoError(t, err)
			got, err := models.Transcribe(context.Background(), hear, audio, "audio/mpeg")
			assert.NoError(t, err)
			assert.Equal(t, text, got)
		})
	}
	wg.Wait()
}
