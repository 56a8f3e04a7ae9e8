package main

import (
	"errors"
	"flag"
	"io"
	"math"
	"regexp"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
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
	prices    outside.Prices
	caps      program.Caps
	social    outside.Social
	talk      outside.Talk
	character persona.Character
	given     bool // -persona gives the character
	owners    []persona.Account
	db        string
	activity  string
	hide      []*regexp.Regexp
	pages     *outside.Pages
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

// help is what -h prints before the flags.
var help = program.Help{
	About: lang.T("companion 是一个主人的私人伙伴；不带参数就过模拟的一天。\n", "companion is a personal bot of one owner; without flags it runs a simulated day.\n"),
	Examples: []program.Example{
		{Command: "companion", Meaning: lang.T("一分钟过完模拟的一天，不用 QQ，也不用模型", "a simulated day in a minute, without QQ and without a model")},
		{Command: "companion -init companion.yaml", Meaning: lang.T("写一个带注释的配置文件；改好以后用 -config companion.yaml 启动，加上 -check 先检查", "write a configuration file with comments; then start with -config companion.yaml, or check it with -check")},
		{Command: "companion -persona ./xiaolu -owner 10001 -db xiaolu.db -onebot ws://127.0.0.1:3001 -model openai -model-name NAME -base-url https://api.deepseek.com/v1 -key-file key.txt",
			Meaning: lang.T("连上正在运行的 NapCat、LLBot、SnowLuma，用 DeepSeek 的模型，照 ./xiaolu 里的人设", "connect to a NapCat, LLBot or SnowLuma that runs, with a model of DeepSeek and the character in ./xiaolu")},
	},
}

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("companion", flag.ContinueOnError)
	o.mcp, o.pages = new(outside.MCP), &outside.Pages{Env: "COMPANION_TOKEN", Day: true}
	o.link.Flags(f)
	o.model.Flags(f)
	o.mcp.Flags(f)
	o.budget.Flags(f)
	o.prices.Flags(f)
	o.caps.Flags(f)
	o.social.Flags(f)
	o.talk.Flags(f)
	o.pages.Flags(f, "127.0.0.1:0")
	dir := f.String("persona", "", "`directory` that says who it is: persona.json, about.md, documents/character_state.md, prompts/…; empty: the one in the file of -db, or else a sample")
	owners := f.String("owner", "", "QQ `numbers` of the owner, separated by commas")
	f.StringVar(&o.db, "db", "", "SQLite `file` to remember in, or postgres://USER@HOST/DATABASE?being=NAME; empty: forget at exit")
	f.StringVar(&o.activity, "activity", "", "`URL` of an ActivityWatch server, such as http://127.0.0.1:5600: it sees what the owner has been doing; empty: it does not")
	hide := f.String("hide", "", "`expression`: what matches it in a window, page or file is never told to the model, beside private windows")
	f.Float64Var(&o.speed, "speed", 0, "days pass so much faster than the clock; 0: 1440, a day in a minute, in the demo, 1 on a real link. Lines of cron stay in real time")
	f.DurationVar(&o.think, "think", 0, "the offline model takes this `duration` for each answer, as a real one takes its time")
	f.DurationVar(&o.lasts, "for", 0, "end after this `duration`, such as 70s; 0: at Ctrl-C or Ctrl-D")
	f.Uint64Var(&o.seed, "seed", 0, "makes what is drawn by chance come again; 0: random")
	if o.file, err = config.Parse(f, config.Options{Help: help, Purposes: outside.Purposes}, args, diagnostics); err != nil {
		return o, err
	}
	o.file.Reread = func() (*config.File, error) { again, err := parse(args, io.Discard); return again.file, err }
	defer func() { err = o.file.Locate(err) }()
	o.model.Listing = o.file.Check
	o.model.Use(o.file)
	if err := errors.Join(o.link.Check(), o.model.Check(), o.budget.Check(), o.caps.Check(), o.social.Check(), o.talk.Check(), o.pages.Check()); err != nil {
		return o, err
	}
	if o.owners, err = outside.Accounts("owner", *owners); err != nil {
		return o, err
	}
	if *hide != "" {
		r, err := regexp.Compile(*hide)
		if err != nil {
			return o, lang.Errorf("-hide 不是正则表达式：%v", "-hide: %v", err)
		}
		o.hide = append(o.hide, r)
	}
	if o.speed == 0 {
		o.speed = demoSpeed
		if o.link.Enabled() || !o.model.Offline() {
			o.speed = 1
		}
	}
	switch {
	case math.IsNaN(o.speed) || o.speed < 1 || o.speed > maxSpeed:
		return o, lang.Errorf("-speed %v 要在 1 到 %d 之间", "-speed %v must be 1 to %d", o.speed, maxSpeed)
	case o.speed != 1 && !o.model.Local():
		return o, lang.Errorf("-speed %v 只能配本机的模型：别的模型会多问这么多倍，要花钱的", "-speed %v is for a model on this machine: another would be asked, and paid, that much more often", o.speed)
	case o.lasts < 0, o.think < 0:
		return o, lang.Errorf("-for %v 和 -think %v 不能是负的", "-for %v and -think %v must not be negative", o.lasts, o.think)
	case o.think > 0 && !o.model.Offline():
		return o, lang.Errorf("-think 只用在离线模型上", "-think is for the offline model")
	}
	o.given = *dir != ""
	o.character, err = readPersona(*dir)
	return o, err
}

// readPersona reads the character. The sample has the same format.
func readPersona(dir string) (persona.Character, error) {
	if dir == "" {
		return persona.ReadCharacter(sample())
	}
	return outside.ReadPersona(dir)
}
