package nit_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestView_WithRedactMasksIfTheRegistryHasNone(t *testing.T) {
	mask := func(with string) func(context.Context, string) (string, error) {
		return func(context.Context, string) (string, error) { return with, nil }
	}
	var r nit.Registry
	require.NoError(t, r.Add(say(t, "screen", nit.L2, "secret")))
	who := nit.Principal{Tiers: nit.L1 | nit.L2}
	_, err := r.View(who).Do(t.Context(), "screen", "")
	require.ErrorIs(t, err, nit.ErrRefused)
	res, err := r.View(who).WithRedact(mask("view")).Do(t.Context(), "screen", "")
	require.NoError(t, err)
	assert.Equal(t, "view", res.Text)
	assert.Nil(t, r.Redact, "the registry is not changed")

	r.Redact = mask("registry")
	res, err = r.View(who).WithRedact(mask("view")).Do(t.Context(), "screen", "")
	require.NoError(t, err)
	assert.Equal(t, "registry", res.Text)
}

func TestView_WithCallLimitReplacesTheLimitOfTheRegistry(t *testing.T) {
	var r nit.Registry
	require.NoError(t, r.Add(say(t, "look", nit.L1, "fine")))
	for limit, want := range map[int]int{0: 8, 2: 2, 20: 20} {
		v := r.View(nit.Principal{Tiers: nit.L1}).WithCallLimit(limit)
		made := 0
		for range 30 {
			if _, err := v.Do(t.Context(), "look", ""); err == nil {
				made++
			} else {
				require.ErrorIs(t, err, nit.ErrQuotaExceeded)
			}
		}
		assert.Equal(t, want, made, "limit %d", limit)
	}
	assert.Zero(t, r.Limits.Calls, "the registry is not changed")
}
