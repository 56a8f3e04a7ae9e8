package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
)

// options are the validated flags.
type options struct {
	variants []variant
	as       string   // a speaker, or *; empty means that the bot listens
	min      int      // minimum labelled messages of a speaker, for *
	names    []string // names of the bot if it listens
	chat     string   // plays this chat only; empty means all
	seed     uint64
	score    bool
	html     string // file of the page
	lang     string
	file     string // file of the log
}

const usage = `replay plays a chat log to a simulated bot on virtual time and prints the bot's decisions.

usage: replay [flags] LOG.jsonl[.gz]

A log contains messages with a reply graph, or OneBot events from groupbot -record; - reads standard input.

`

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("replay", flag.ContinueOnError)
	policies := f.String("policy", firstPolicy, "`policies` to decide by, separated by commas: "+policyNames()+
		"; parameters follow as in interject:base=.1:partner=.8")
	f.StringVar(&o.as, "as", "", "`speaker` of the log whom the bot plays, or * for everybody who has -min labelled messages; empty: it listens")
	f.IntVar(&o.min, "min", 0, "labelled messages of a speaker, for -as '*'; 0: 15")
	names := f.String("name", "小炉", "what the bot is called, `names` separated by commas, where it listens")
	f.StringVar(&o.chat, "chat", "", "play only the chat of this `name`")
	f.Uint64Var(&o.seed, "seed", 1, "of chance")
	f.BoolVar(&o.score, "score", false, "print counts in place of decisions")
	f.StringVar(&o.html, "html", "", "write a page to this `file`; takes one or two policies")
	f.StringVar(&o.lang, "lang", string(lang.Of(nil)), "of reasons and of the page: `en or zh`")
	if err := program.Parse(f, usage, args, diagnostics); err != nil {
		return o, err
	}
	if o.variants, err = parseVariants(*policies); err != nil {
		return o, fmt.Errorf("-policy: %w", err)
	}
	o.names = program.List(*names)
	for _, n := range o.names {
		if err := checkName(n); err != nil {
			return o, fmt.Errorf("-name: %w", err)
		}
	}
	switch {
	case f.NArg() == 0:
		return o, errors.New("which log? usage: replay [flags] LOG.jsonl[.gz]; -h lists the flags")
	case f.NArg() > 1:
		return o, fmt.Errorf("unexpected argument %q: one log, after all flags", f.Arg(1))
	case o.min < 0:
		return o, fmt.Errorf("-min %d must not be negative", o.min)
	case o.as != "" && given(f, "name"):
		return o, errors.New("-name is for a bot that listens: with -as it is called like the speaker")
	case o.min > 0 && o.as != "*":
		return o, errors.New("-min is for -as '*'")
	case len(o.names) == 0:
		return o, errors.New("-name is empty: a bot needs a name to be called by")
	case o.seed == 0:
		return o, errors.New("-seed must not be 0: what is played must come out the same again")
	case o.lang != "en" && o.lang != "zh":
		return o, fmt.Errorf("-lang %q: en or zh", o.lang)
	case o.html != "" && len(o.variants) > 2:
		return o, fmt.Errorf("-html shows two policies at most, not %d", len(o.variants))
	case o.html != "" && o.as == "*":
		return o, errors.New("-html shows one speaker: name him by -as")
	}
	o.min, o.file = cmp.Or(o.min, 15), f.Arg(0)
	return o, nil
}

// given reports whether a flag was set.
func given(f *flag.FlagSet, name string) (is bool) {
	f.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}
