package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"os"
	"regexp"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
)

// options are the validated flags.
type options struct {
	link      outside.Connection
	model     outside.Model
	mcp       *outside.MCP
	budget    program.Budget
	caps      program.Caps
	social    outside.Social
	character persona.Character
	given     bool // -persona gives the character
	owners    []persona.Account
	db        string
	activity  string
	hide      []*regexp.Regexp
	http      string // empty means off
	token     string // for HTTP; empty means a generated one
	speed     float64
	think     time.Duration
	lasts     time.Duration
	file      *config.File
	seed      uint64
}

const (
	demoSpeed = 1440 // a day in a minute
	maxSpeed  = 86400
)

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("companion", flag.ContinueOnError)
	o.mcp = new(outside.MCP)
	o.link.Flags(f)
	o.model.Flags(f)
	o.mcp.Flags(f)
	o.budget.Flags(f)
	o.caps.Flags(f)
	o.social.Flags(f)
	dir := f.String("persona", "", "`directory` that says who it is: persona.json, about.md, documents/character_state.md, prompts/…; empty: the one in the file of -db, or else a sample")
	owners := f.String("owner", "", "QQ `numbers` of the owner, separated by commas")
	f.StringVar(&o.db, "db", "", "SQLite `file` to remember in; empty: forget at exit")
	f.StringVar(&o.activity, "activity", "", "`URL` of an ActivityWatch server, such as http://127.0.0.1:5600: it sees what the owner has been doing; empty: it does not")
	hide := f.String("hide", "", "`expression`: what matches it in a window, page or file is never told to the model, beside private windows")
	f.StringVar(&o.http, "http", "127.0.0.1:0", "loopback `address` of the page and of /talk and /day; port 0: any that is free; off: none")
	f.StringVar(&o.token, "http-token", "", "bearer token for them; better in the environment, as COMPANION_TOKEN; empty: one is made and printed")
	f.Float64Var(&o.speed, "speed", 0, "days pass so much faster than the clock; 0: 1440, a day in a minute, in the demo, 1 on a real link. Lines of cron stay in real time")
	f.DurationVar(&o.think, "think", 0, "the offline model takes this `duration` for each answer, as a real one takes its time")
	f.DurationVar(&o.lasts, "for", 0, "end after this `duration`, such as 70s; 0: at Ctrl-C or Ctrl-D")
	f.Uint64Var(&o.seed, "seed", 0, "makes what is drawn by chance come again; 0: random")
	about := "companion is a personal bot of one owner; without flags it runs a simulated day.\n"
	if o.file, err = config.Parse(f, config.Options{About: about}, args, diagnostics); err != nil {
		return o, err
	}
	o.file.Reread = func() (*config.File, error) { again, err := parse(args, io.Discard); return again.file, err }
	defer func() { err = o.file.Locate(err) }()
	if err := errors.Join(o.link.Check(), o.model.Check(), o.budget.Check(), o.caps.Check(), o.social.Check()); err != nil {
		return o, err
	}
	if o.owners, err = outside.Accounts("owner", *owners); err != nil {
		return o, err
	}
	if *hide != "" {
		r, err := regexp.Compile(*hide)
		if err != nil {
			return o, fmt.Errorf("-hide: %w", err)
		}
		o.hide = append(o.hide, r)
	}
	if o.speed == 0 {
		o.speed = demoSpeed
		if o.link.Enabled() || !o.model.Offline() {
			o.speed = 1
		}
	}
	o.token = cmp.Or(o.token, os.Getenv("COMPANION_TOKEN"))
	switch {
	case math.IsNaN(o.speed) || o.speed < 1 || o.speed > maxSpeed:
		return o, fmt.Errorf("-speed %v must be 1 to %d", o.speed, maxSpeed)
	case o.speed != 1 && !o.model.Local():
		return o, fmt.Errorf("-speed %v is for a model on this machine: another would be asked, and paid, that much more often", o.speed)
	case o.lasts < 0, o.think < 0:
		return o, fmt.Errorf("-for %v and -think %v must not be negative", o.lasts, o.think)
	case o.think > 0 && !o.model.Offline():
		return o, errors.New("-think is for the offline model")
	case o.token != "" && len(o.token) < minToken:
		return o, fmt.Errorf("-http-token is too short: %d characters at least", minToken)
	}
	if o.http, err = loopback(o.http); err != nil {
		return o, err
	}
	o.given = *dir != ""
	o.character, err = readPersona(*dir)
	return o, err
}

// loopback checks that an address is reachable from this machine only.
func loopback(address string) (string, error) {
	if address == "off" || address == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("-http %q is no address like 127.0.0.1:8090", address)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return "", fmt.Errorf("-http %q is not on loopback: everyone who can reach it acts as the owner, so use a proxy with a login", address)
	}
	return net.JoinHostPort(host, port), nil
}

// readPersona reads the character. The sample has the same format.
func readPersona(dir string) (persona.Character, error) {
	if dir == "" {
		return persona.ReadCharacter(sample())
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return persona.Character{}, fmt.Errorf("-persona: %w", err)
	}
	defer root.Close()
	who, err := persona.ReadCharacter(root.FS())
	if err != nil {
		return who, fmt.Errorf("-persona: %w", err)
	}
	return who, nil
}
