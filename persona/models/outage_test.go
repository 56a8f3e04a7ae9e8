package models_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestChain_Outage simulates an hour with a call every 20 s, while the first model fails in several ways. The trace has a line
// for each change: the models called, their results, and the model that answered.
func TestChain_Outage(t *testing.T) {
	var trace strings.Builder
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		minute := func() float64 { return time.Since(begin).Minutes() }
		first := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
			switch m := minute(); {
			case m >= 5 && m < 15:
				return modeltest.HTTPError(503, "")
			case m >= 20 && m < 25:
				return modeltest.RateLimited(3 * time.Minute)
			case m >= 30 && m < 40:
				return modeltest.Hang("")
			case m >= 45 && m < 50:
				return modeltest.HTTPError(401, "")
			}
			return modeltest.Say("好")
		})
		c := chainOf(t, models.ChainOptions{Timeout: 12 * time.Second}, models.Candidate{Name: "first", Model: first}, models.Candidate{Name: "second", Model: modeltest.Always(modeltest.Say("好"))})
		last := ""
		for time.Since(begin) < time.Hour {
			at, before := time.Since(begin), c.Stats()
			_, err := asked(t.Context(), c)
			require.NoError(t, err)
			after := c.Stats()
			who := "first"
			if after[1].Usage.Calls > before[1].Usage.Calls {
				who = "second"
			}
			line := fmt.Sprintf("first asked %d times, refused %d, is %s; %s answers",
				after[0].Usage.Calls-before[0].Usage.Calls, after[0].Rejected-before[0].Rejected, after[0].State, who)
			if line != last {
				fmt.Fprintf(&trace, "%5.0fs  %s, after %.3fs\n", at.Seconds(), line, (time.Since(begin) - at).Seconds())
			}
			last = line
			time.Sleep(at + 20*time.Second - time.Since(begin))
		}
	})
	path := filepath.Join("testdata", "outage.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(trace.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), trace.String())
}
