package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// options are the flags, checked.
type options struct {
	forward, listen, token string
	name                   string
	aliases, owners        []string
	bots                   []int64
	about                  string
	db                     string
	attention, strategy    string
	model, modelName       string
	embedName              string
	baseURL, keyFile       string
	record                 string
	speed                  float64
	lasts                  time.Duration
	trace                  bool
	seed                   uint64
	simulated              bool         // the link leads to the demo's own QQ
	dial                   *http.Client // the link's; nil: over the network
	chats                  map[persona.Chat]social.ChatOptions
}

func (o options) real() bool { return o.forward != "" || o.listen != "" }

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("groupbot", flag.ContinueOnError)
	f.SetOutput(io.Discard) // what is wrong is said once, by whoever called
	f.StringVar(&o.forward, "onebot", "", "`URL` of a OneBot v11 implementation (forward WebSocket), such as ws://127.0.0.1:3001")
	f.StringVar(&o.listen, "listen", "", "`address` to listen on for a OneBot v11 implementation (reverse WebSocket), such as 127.0.0.1:8080")
	f.StringVar(&o.token, "token", "", "access token of the OneBot link; better in the environment, as ONEBOT_TOKEN")
	f.StringVar(&o.name, "name", "小炉", "the bot's `name`: it is called by it")
	aliases := f.String("alias", "", "more `names`, separated by commas")
	f.StringVar(&o.about, "about", "爱坐在炉边听大家聊天，说话简短。", "who the bot is: a `text` of a sentence or a page")
	owners := f.String("owner", "", "QQ `numbers` of the owner, separated by commas")
	bots := f.String("bots", "", "QQ `numbers` of other bots in the groups, separated by commas: it answers them twice in a row at most")
	f.StringVar(&o.db, "db", "", "SQLite `file` to remember in; empty: forget at exit")
	f.StringVar(&o.model, "model", "offline", "`offline` (rules, no language model), openai (any compatible service) or ollama")
	f.StringVar(&o.modelName, "model-name", "", "`name` of the model")
	f.StringVar(&o.embedName, "embed-name", "", "`name` of a model for embeddings at the same service: recall by meaning too; empty: by words alone")
	f.StringVar(&o.baseURL, "base-url", "", "`URL` of the model's service; empty: that of openai, or of ollama on this machine")
	f.StringVar(&o.keyFile, "key-file", "", "`file` with the key of the model's service; empty: from the environment, as OPENAI_API_KEY")
	f.StringVar(&o.attention, "attention", "mention", "when it speaks: `mention` (when called), interject (also goes on with a talk), learned (as people did in real chat) or hfc (Heart Flow Chat)")
	f.StringVar(&o.strategy, "strategy", "one", "how it comes to its words: in `one` model call, or in three (think, plan, write)")
	config := f.String("config", "", "JSON `file` that says what differs per chat")
	f.StringVar(&o.record, "record", "", "`file` to append every OneBot event to, as received: examples/replay plays it; it holds what people say")
	f.Float64Var(&o.speed, "speed", 0, "waiting times are divided by this; 0: 5 in the demo, 1 on a real link")
	f.DurationVar(&o.lasts, "for", 0, "end after this `duration`, such as 30s; 0: at Ctrl-C")
	f.BoolVar(&o.trace, "trace", false, "print every gate of every decision")
	f.Uint64Var(&o.seed, "seed", 0, "makes what is drawn by chance come again; 0: random")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(diagnostics, "groupbot is a bot that lives in QQ groups; bare, in a simulated one.")
		f.SetOutput(diagnostics)
		f.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; -h lists the flags", err)
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: everything is a flag", f.Arg(0))
	}
	o.aliases, o.owners = list(*aliases), list(*owners)
	for _, s := range o.owners {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return o, fmt.Errorf("-owner: %q is no QQ number", s)
		}
	}
	for _, s := range list(*bots) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return o, fmt.Errorf("-bots: %q is no QQ number", s)
		}
		o.bots = append(o.bots, n)
	}
	if o.token == "" {
		o.token = os.Getenv("ONEBOT_TOKEN")
	}
	if o.speed == 0 {
		o.speed = 5
		if o.real() {
			o.speed = 1
		}
	}
	switch {
	case o.forward != "" && o.listen != "":
		return o, errors.New("-onebot and -listen exclude each other: the bot dials, or is dialled")
	case o.name == "":
		return o, errors.New("-name is empty: a bot needs a name to be called by")
	case o.speed < 0 || math.IsNaN(o.speed) || math.IsInf(o.speed, 0):
		return o, fmt.Errorf("-speed %v must be positive", o.speed)
	case o.lasts < 0:
		return o, fmt.Errorf("-for %v must not be negative", o.lasts)
	case policies[o.attention] == nil && o.attention != "hfc":
		return o, fmt.Errorf("-attention %q is unknown: mention, interject, learned or hfc", o.attention)
	case o.strategy != "one" && o.strategy != "three":
		return o, fmt.Errorf("-strategy %q is unknown: one or three", o.strategy)
	case o.model != "offline" && o.model != "openai" && o.model != "ollama":
		return o, fmt.Errorf("-model %q is unknown: offline, openai or ollama", o.model)
	case o.model != "offline" && o.modelName == "":
		return o, fmt.Errorf("-model %s needs -model-name", o.model)
	case o.model == "offline" && o.embedName != "":
		return o, errors.New("-embed-name needs -model openai or ollama: the offline one has no embeddings")
	}
	if *config != "" {
		o.chats, err = readChats(*config)
	}
	return o, err
}

func list(s string) (out []string) {
	for _, v := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' }) {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// policies by the name that flags and files give them.
var policies = map[string]heartflow.Policy{"mention": heartflow.MentionOnly{}, "interject": heartflow.Interject{}, "learned": heartflow.Learned{}}

// A chatConfig is an entry of the -config file, under the chat's name: {"qq:group:123456": {"policy": "interject"}}.
type chatConfig struct {
	Off       bool     `json:"off"`        // what is said there is dropped
	Names     []string `json:"names"`      // instead of -name and -alias
	WakeWords []string `json:"wake_words"` // call it too
	Keywords  []string `json:"keywords"`
	Policy    string   `json:"policy"` // mention, interject or learned; empty: as -attention says
}

func readChats(file string) (map[persona.Chat]social.ChatOptions, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	var entries map[persona.Chat]chatConfig
	if err := d.Decode(&entries); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	chats := map[persona.Chat]social.ChatOptions{}
	for chat, c := range entries {
		s := heartflow.Settings{Names: c.Names, WakeWords: c.WakeWords, Keywords: c.Keywords}
		if s.Policy = policies[c.Policy]; s.Policy == nil && c.Policy != "" {
			return nil, fmt.Errorf("%s: %v: policy %q is unknown: mention, interject or learned", file, chat, c.Policy)
		}
		if err := heartflow.New[persona.Chat](heartflow.Options{}).Configure(chat, s); err != nil {
			return nil, fmt.Errorf("%s: %v: %w", file, chat, err)
		}
		chats[chat] = social.ChatOptions{Off: c.Off, Attention: s}
	}
	return chats, nil
}
