package models_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// observed returns a model whose calls are appended to the list.
func observed(m llms.Model) (llms.Model, *[]models.Call) {
	calls := new([]models.Call)
	return models.Observe(m, func(_ context.Context, c models.Call) { *calls = append(*calls, c) }), calls
}

func TestObserve_NamesTheModelThatAnsweredAndEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := modeltest.RateLimited(0).After(time.Second)
		m, calls := observed(chainOf(t, models.ChainOptions{Seed: 1},
			models.Candidate{Name: "first", Model: modeltest.New(limited, limited, limited)},
			models.Candidate{Name: "second", Model: modeltest.New(modeltest.Say("在的").After(2 * time.Second))},
		))
		_, err := m.GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		require.Len(t, *calls, 1)
		c := (*calls)[0]
		assert.Equal(t, "second", c.Model)
		require.Len(t, c.Attempts, 4)
		sum := models.Usage{}
		for i, a := range c.Attempts {
			sum = sum.Add(a.Usage)
			c.Attempts[i].Usage = models.Usage{}
		}
		assert.Equal(t, c.Usage, sum)
		for _, a := range c.Attempts[:3] {
			assert.Equal(t, models.Attempt{Model: "first", Failed: true, Failure: models.Failure{Kind: models.RateLimit, Status: 429}, Took: time.Second}, a)
		}
		assert.Equal(t, models.Attempt{Model: "second", Took: 2 * time.Second}, c.Attempts[3])
		assert.Equal(t, c.Took, c.FirstToken, "nothing is streamed, so the first token is the answer")
		assert.False(t, c.Streamed)
		assert.Greater(t, c.Took, 6*time.Second, "with the delays before the retries")
		assert.Equal(t, 4, c.Usage.Calls)
		assert.Equal(t, 3, c.Usage.Failed)
	})
}

func TestObserve_TimeToTheFirstStreamedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, calls := observed(chainOf(t, models.ChainOptions{Seed: 1}, models.Candidate{Name: "slow", Model: streamer{}}))
		_, err := m.GenerateContent(t.Context(), prompt("在吗"), llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
		require.NoError(t, err)
		_, err = m.GenerateContent(t.Context(), prompt("在吗"))
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{time.Second, 4 * time.Second}, []time.Duration{(*calls)[0].FirstToken, (*calls)[0].Took})
		assert.True(t, (*calls)[0].Streamed)
		assert.Equal(t, 4*time.Second, (*calls)[1].FirstToken)
		assert.False(t, (*calls)[1].Streamed)
	})
}

// A streamer streams its first token after a second and answers after four.
type streamer struct{ llms.Model }

func (streamer) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	time.Sleep(time.Second)
	if o.StreamingFunc != nil {
		if err := errors.Join(o.StreamingFunc(ctx, nil), o.StreamingFunc(ctx, []byte("在")), o.StreamingFunc(ctx, []byte("的"))); err != nil {
			return nil, err
		}
	}
	time.Sleep(3 * time.Second)
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "在的", StopReason: "stop"}}}, nil
}

// A chain in a chain reports the attempts of both, each once. So does a chain behind a wrapper and a meter.
func TestObserve_ChainInAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := modeltest.HTTPError(http.StatusUnauthorized, "no")
		inner := chainOf(t, models.ChainOptions{Seed: 1}, models.Candidate{Name: "a", Model: modeltest.Always(refused)}, models.Candidate{Name: "b", Model: modeltest.New(modeltest.Say("好"), refused)})
		m, calls := observed(chainOf(t, models.ChainOptions{Seed: 1},
			models.Candidate{Name: "inner", Model: models.Meter(inner, func(context.Context, models.Usage) {})},
			models.Candidate{Name: "last", Model: modeltest.Always(modeltest.Say("好"))},
		))
		for range 2 {
			_, err := m.GenerateContent(t.Context(), prompt("在吗"))
			require.NoError(t, err)
		}
		names := func(c models.Call) (all []string) {
			for _, a := range c.Attempts {
				all = append(all, a.Model)
			}
			return all
		}
		assert.Equal(t, []string{"a", "b"}, names((*calls)[0]))
		assert.Equal(t, "b", (*calls)[0].Model)
		assert.Equal(t, []string{"a", "b", "last"}, names((*calls)[1]))
		assert.Equal(t, models.BreakerOpen, (*calls)[1].Attempts[0].Kind, "a was not called again")
		assert.Zero(t, (*calls)[1].Attempts[0].Took)
	})
}

func TestObserve_AttemptsAreBounded(t *testing.T) {
	var all []models.Candidate
	for range 50 {
		all = append(all, models.Candidate{Model: modeltest.Always(modeltest.HTTPError(http.StatusBadRequest, "no"))})
	}
	m, calls := observed(chainOf(t, models.ChainOptions{Seed: 1}, all...))
	_, err := m.GenerateContent(t.Context(), prompt("在吗"))
	require.Error(t, err)
	assert.Len(t, (*calls)[0].Attempts, 32)
	assert.Equal(t, 50, (*calls)[0].Usage.Calls)
	assert.Empty(t, (*calls)[0].Model)
}

// A single model without a chain is one attempt, named by the client's error.
func TestObserve_SingleModel(t *testing.T) {
	for name, step := range map[string]modeltest.Step{
		"answer":  modeltest.Say("好"),
		"failure": modeltest.Fail(&models.CallError{Model: "deepseek", Failure: models.Failure{Kind: models.QuotaExceeded, Status: 402}, Err: errors.New("no money")}),
		"panic":   {Panic: "oh"},
	} {
		t.Run(name, func(t *testing.T) {
			m, calls := observed(modeltest.New(step))
			func() {
				defer func() { _ = recover() }()
				_, _ = m.GenerateContent(t.Context(), prompt("在吗"))
			}()
			require.Len(t, *calls, 1)
			require.Len(t, (*calls)[0].Attempts, 1)
			a := (*calls)[0].Attempts[0]
			assert.Equal(t, (*calls)[0].Usage, a.Usage)
			a.Took, a.Usage = 0, models.Usage{}
			assert.Equal(t, map[string]models.Attempt{
				"answer":  {},
				"failure": {Model: "deepseek", Failed: true, Failure: models.Failure{Kind: models.QuotaExceeded, Status: 402}},
				"panic":   {Failed: true, Failure: models.Failure{Kind: models.Panicked}},
			}[name], a)
		})
	}
}

// The record of a real failure over HTTP has no text of the provider, which repeats the key here.
func TestObserve_NoKeys(t *testing.T) {
	const key = "sk-abcdefghijklmnopqrstuvwxyz123456"
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}}`)
	}))
	defer api.Close()
	client, err := models.OpenAI(api.URL, "m", key, models.OpenAIOptions{})
	require.NoError(t, err)
	m, calls := observed(chainOf(t, models.ChainOptions{Seed: 1}, models.Candidate{Name: "m", Model: client}))
	_, err = m.GenerateContent(t.Context(), prompt("在吗"))
	var failed *models.CallError
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, failed.Err, key, "the client's error has the key")
	a := (*calls)[0].Attempts[0]
	assert.Equal(t, models.Attempt{Model: "m", Failed: true, Failure: models.Failure{Kind: models.Unauthorized, Status: 401}, Took: a.Took, Usage: models.Usage{Calls: 1, Failed: 1}}, a)
}

// A meter sums by the purpose of its caller's ctx.
func TestMeter_ByPurpose(t *testing.T) {
	sums := map[models.Purpose]models.Usage{}
	m := models.Meter(chainOf(t, models.ChainOptions{Seed: 1}, models.Candidate{Model: modeltest.Always(modeltest.Say("好"))}), func(ctx context.Context, u models.Usage) {
		sums[models.PurposeOf(ctx)] = sums[models.PurposeOf(ctx)].Add(u)
	})
	for _, p := range []models.Purpose{models.PurposeJudge, models.PurposeReply, models.PurposeReply, "hear"} {
		_, err := m.GenerateContent(models.WithPurpose(t.Context(), p), prompt("在吗"))
		require.NoError(t, err)
	}
	_, err := m.GenerateContent(t.Context(), prompt("在吗"))
	require.NoError(t, err)
	got := map[models.Purpose]int{}
	for p, u := range sums {
		got[p] = u.Calls
	}
	assert.Equal(t, map[models.Purpose]int{models.PurposeJudge: 1, models.PurposeReply: 2, "hear": 1, "": 1}, got)
}
