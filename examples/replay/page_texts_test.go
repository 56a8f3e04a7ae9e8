package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

func TestTicks_AreUnique(t *testing.T) {
	at := time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC)
	after := func(all ...time.Duration) (times []time.Time) {
		for _, d := range all {
			times = append(times, at.Add(d))
		}
		return times
	}
	assert.Equal(t, []string{"20:00:00", "20:00:02", "20:00:09"}, ticks(after(0, 2*time.Second, 9*time.Second)))
	assert.Equal(t, []string{"20:00", "20:02", "21:10"}, ticks(after(0, 2*time.Minute, 70*time.Minute)))
	assert.Equal(t, []string{"20:00:00.000", "20:00:00.200"}, ticks(after(0, 200*time.Millisecond)))
	assert.Equal(t, []string{"20:00", "", "05-02 20:00"}, ticks(after(0, 0, 24*time.Hour)))
}

// Each gate and policy of a page has words.
func TestPage_ExplainsGatesAndPolicies(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		p := &page{Lang: lang}
		for _, g := range []heartflow.Gate{
			{Code: "capped_window", Value: 1, Threshold: 6, Pass: true}, {Code: "needs_none", Value: -.134},
			{Code: "active_window", Value: .8, Draw: .35, Pass: true}, {Code: "muted", Pass: true}, {Code: "off"},
		} {
			got := p.gateText(g)
			assert.NotEmpty(t, got)
			assert.NotContains(t, got, "_")
			assert.NotContains(t, got, "%!")
			assert.Equal(t, lang == "zh", regexp.MustCompile(`\p{Han}`).MatchString(got), got)
		}
		for _, known := range policies {
			c := column{Name: known.name + ":x=1"}
			require.NotEqual(t, c.Meaning(), text(c.Meaning(), lang), known.name)
		}
	}
	assert.Equal(t, "这几分钟里说了几条：1，界限 6，通过", (&page{Lang: "zh"}).gateText(heartflow.Gate{Code: "capped_window", Value: 1, Threshold: 6, Pass: true}))
}

func TestOptions_LanguageOfTheUser(t *testing.T) {
	for want, locales := range map[string][]string{
		"zh": {"", "", "zh_CN.UTF-8"}, "en": {"en_US.UTF-8", "", "zh_CN.UTF-8"}, "zh ": {"", "zh_TW", "C"},
	} {
		t.Setenv("LC_ALL", locales[0])
		t.Setenv("LC_MESSAGES", locales[1])
		t.Setenv("LANG", locales[2])
		o, err := parse([]string{"testdata/small.jsonl"}, nil)
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(want), o.lang, locales)
	}
}
