package outside

import (
	"flag"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona/social"
)

// Talk contains the flags for what people do beside writing: quotes and reactions.
type Talk struct {
	quote         string
	reactionsCall bool
}

// quotes by the name in the flag.
var quotes = map[string]social.Quote{"auto": social.QuoteAuto, "always": social.QuoteAlways, "never": social.QuoteNever}

// Flags defines the flags.
func (t *Talk) Flags(f *flag.FlagSet) {
	f.StringVar(&t.quote, "quote", "auto", "whether a reply quotes the message that it answers: `auto` (if others stand between, or several people wait), always or never")
	f.BoolVar(&t.reactionsCall, "reactions-call", false, "a reaction to a message of the bot calls it, as a poke does: once per person in 10 minutes")
}

// Check validates the flags.
func (t *Talk) Check() error {
	if _, ok := quotes[t.quote]; !ok {
		return lang.Errorf("-quote %q 不认识：写 auto、always 或者 never", "-quote %q is unknown: auto, always or never", t.quote)
	}
	return nil
}

// Apply sets the options.
func (t *Talk) Apply(o *social.Options) {
	o.Reply.Quote, o.When.ReactionsCall = quotes[t.quote], t.reactionsCall
}
