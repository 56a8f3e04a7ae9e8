package program

import (
	"flag"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for text, want := range map[string]struct{ hour, day int }{
		"":          {12_000_000, 96_000_000},
		"0":         {12_000_000, 96_000_000},
		"0/0":       {12_000_000, 96_000_000},
		"500k/5M":   {500_000, 5_000_000},
		"500K / 5m": {500_000, 5_000_000},
		"1.5M":      {1_500_000, 15_000_000},
		"1000/0":    {1000, 96_000_000},
		"off":       {math.MaxInt, math.MaxInt},
		"off/2M":    {math.MaxInt, 2_000_000},
		"2M/off":    {2_000_000, math.MaxInt},
	} {
		var b Budget
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		b.Flags(f)
		if text != "" {
			require.NoError(t, f.Parse([]string{"-budget", text}), text)
		}
		require.NoError(t, b.Check(), text)
		budget, err := b.New(1)
		require.NoError(t, err)
		assert.Equal(t, min(want.hour, want.day), budget.TokensLeft(now), text)
		if want.hour < math.MaxInt { // the hour is used up, and an hour later the rest of the day is left
			budget.AddTokens(now, want.hour)
			later := budget.TokensLeft(now.Add(62 * time.Minute))
			if want.day < math.MaxInt {
				assert.Equal(t, min(want.hour, want.day-want.hour), later, text)
			} else {
				assert.Equal(t, want.hour, later, text)
			}
		}
	}
	for _, bad := range []string{"x", "-1", "k", "1/2/3", "5M/500k", "0.1", "NaN", "1e30", "/", "5M/"} {
		var b Budget
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		b.Flags(f)
		require.NoError(t, f.Parse([]string{"-budget", bad}))
		assert.ErrorContains(t, b.Check(), "-budget", bad)
		_, err := b.New(1)
		assert.Error(t, err)
	}
	var b Budget
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	b.Flags(f)
	assert.Contains(t, f.Lookup("budget").Usage, fmt.Sprintf("the default, %dM/%dM", heartflow.DefaultHourTokens/1_000_000, heartflow.DefaultDayTokens/1_000_000))
	fast, err := (&Budget{"1000/off"}).New(60)
	require.NoError(t, err)
	assert.Equal(t, 60_000, fast.TokensLeft(now))
}
