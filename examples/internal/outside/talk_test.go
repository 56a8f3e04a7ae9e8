package outside

import (
	"flag"
	"testing"

	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTalk_Flags(t *testing.T) {
	for _, test := range []struct {
		args  []string
		quote social.Quote
		calls bool
		says  string
	}{
		{nil, social.QuoteAuto, false, ""},
		{[]string{"-quote", "always", "-reactions-call"}, social.QuoteAlways, true, ""},
		{[]string{"-quote", "never"}, social.QuoteNever, false, ""},
		{[]string{"-quote", "sometimes"}, 0, false, `-quote "sometimes" is unknown: auto, always or never`},
	} {
		var talk Talk
		f := flag.NewFlagSet("", flag.ContinueOnError)
		talk.Flags(f)
		require.NoError(t, f.Parse(test.args))
		if test.says != "" {
			require.EqualError(t, talk.Check(), test.says)
			continue
		}
		require.NoError(t, talk.Check())
		var o social.Options
		talk.Apply(&o)
		assert.Equal(t, []any{test.quote, test.calls}, []any{o.Reply.Quote, o.When.ReactionsCall})
	}
}
