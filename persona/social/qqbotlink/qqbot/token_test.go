package qqbot

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One fetch serves all callers, and a token is used until its last minute.
func TestTokens_SingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		p.token = func() string { return fmt.Sprintf(`{"access_token":"t%d","expires_in":7200}`, p.tokens) }
		c := p.client(t)
		get := func() (all []string) {
			var wg sync.WaitGroup
			got := make(chan string, 50)
			for range 50 {
				wg.Go(func() {
					token, err := c.tokens.get(t.Context())
					assert.NoError(t, err)
					got <- token
				})
			}
			wg.Wait()
			close(got)
			for token := range got {
				all = append(all, token)
			}
			return all
		}
		assert.NotContains(t, get(), "t2")
		assert.Equal(t, 1, p.tokens)
		time.Sleep(7200*time.Second - lastMinute - time.Second)
		get()
		assert.Equal(t, 1, p.tokens)
		time.Sleep(time.Second)
		assert.NotContains(t, get(), "t1")
		assert.Equal(t, 2, p.tokens)
	})
}

// In the last minute the old token still works: a failed fetch does not matter before its end, and an old token that is
// returned again does not cause a fetch for each call.
func TestTokens_LastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		answer := `{"access_token":"a","expires_in":"50"}`
		p.token = func() string { return answer }
		c := p.client(t)
		for range 5 {
			token, err := c.tokens.get(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "a", token)
			time.Sleep(time.Second / 2)
		}
		assert.Equal(t, 1, p.tokens)
		answer = `{"code":100001,"message":"too many"}`
		time.Sleep(5 * time.Second)
		token, err := c.tokens.get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "a", token)
		assert.Equal(t, 2, p.tokens)
		time.Sleep(50 * time.Second)
		_, err = c.tokens.get(t.Context())
		kind, ok := KindOf(err)
		assert.True(t, ok)
		assert.Equal(t, KindRateLimited, kind)
	})
}

func TestTokens_Refused(t *testing.T) {
	for _, k := range []struct {
		answer string
		kind   Kind
	}{
		{`{"code":100016,"message":"invalid appid or secret"}`, KindCredentials},
		{`{"code":100007,"message":"appid invalid"}`, KindCredentials},
		{`{"code":100001}`, KindRateLimited},
		{`{"access_token":"hush"}`, KindOther},
		{`{"access_token":"","expires_in":7200}`, KindOther},
		{`<html>`, KindOther},
	} {
		p := &platform{token: func() string { return k.answer }}
		c := p.client(t)
		_, _ = c.Me(t.Context())
		_, err := c.Send(t.Context(), UserChat("u"), Out{Text: "x"})
		kind, ok := KindOf(err)
		assert.True(t, ok, k.answer)
		assert.Equal(t, k.kind, kind, k.answer)
		assert.NotErrorIs(t, err, ErrUnclear)
		assert.NotContains(t, err.Error(), "geheim")
		assert.NotContains(t, err.Error(), "hush")
		assert.Empty(t, p.calls)
		assert.Equal(t, 1, p.tokens, "a refusal is not repeated at once")
		assert.Equal(t, 1, strings.Count(err.Error(), "qqbot:"), err)
	}
}

// Callers that waited for a failed fetch share its error. A caller that gives up does not fail the others.
func TestTokens_SharedFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		hang := make(chan struct{})
		c, err := New("1", "s", Options{HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			fetches++
			select {
			case <-hang:
				return nil, http.ErrHandlerTimeout
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})}})
		require.NoError(t, err)
		first, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := c.tokens.get(first)
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		for range 10 {
			wg.Go(func() {
				_, err := c.tokens.get(t.Context())
				assert.ErrorIs(t, err, http.ErrHandlerTimeout)
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(hang)
		wg.Wait()
		assert.Equal(t, 2, fetches)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
