package outside

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrices_Flag(t *testing.T) {
	parse := func(args ...string) (Prices, error) {
		var p Prices
		f := flag.NewFlagSet("", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		p.Flags(f)
		return p, f.Parse(args)
	}
	p, err := parse("-price", "large=2/0.2/3", "-price", "a=b = 1 / 4")
	require.NoError(t, err)
	assert.Equal(t, models.Prices{"large": {Prompt: 2, Cached: .2, Answer: 3}, "a=b": {Prompt: 1, Cached: 1, Answer: 4}}, p.Prices)
	p, err = parse()
	require.NoError(t, err)
	assert.Nil(t, p.Prices)
	for _, wrong := range []string{"", "m", "=1/2/3", " =1/2/3", "m=", "m=1", "m=1/2/3/4", "m=-1/2/3", "m=1/x/3", "m=1/NaN/3", "m=1/2/Inf"} {
		_, err := parse("-price", wrong)
		assert.Error(t, err, wrong)
	}
	_, err = parse("-price", "m=1/2", "-price", "m=1/2")
	assert.ErrorContains(t, err, "m")
}

// The last line of the log has the cost if there are prices.
func TestLogEnd_Cost(t *testing.T) {
	client, err := onebot.NewClient("ws://127.0.0.1:1", onebot.Options{})
	require.NoError(t, err)
	bot, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.Always(modeltest.Say("在")), Link: onebotlink.New(client, onebotlink.Options{})})
	require.NoError(t, err)
	for want, p := range map[string]Prices{"cost": {models.Prices{"m": {Prompt: 1}}}, "": {}} {
		var out bytes.Buffer
		LogEnd(slog.New(slog.NewTextHandler(&out, nil)), bot, p)()
		assert.Contains(t, out.String(), "tokens_24h=0")
		assert.Equal(t, want != "", bytes.Contains(out.Bytes(), []byte("cost=0")), out.String())
	}
}
