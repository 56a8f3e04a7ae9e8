package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// defaultInterests belong to the default -about.
var defaultInterests = []string{"爬山", "登山", "徒步", "露营", "新番", "番剧", "动画", "作画", "声优"}

// connections are the flags for platforms, models and tools.
type connections struct {
	link   outside.Connection
	qqbot  outside.QQBot
	pages  *outside.Pages
	model  outside.Model
	mcp    *outside.MCP
	budget program.Budget
	prices outside.Prices
	caps   program.Caps
	social outside.Social
	talk   outside.Talk
}

// accounts are the people with rights, and those with several accounts.
type accounts struct {
	owners, admins []persona.Account
	samePerson     [][]persona.Account
}

// logs are the flags about the bot's own log.
type logs struct{ record, learn, weights string }

// options are the validated flags.
type options struct {
	connections
	accounts
	logs
	name                string
	aliases, interests  []string
	given               bool // a flag gives the character or a part of it
	prompts             persona.Prompts
	documents           map[string]string // only stored: it has no days of its own
	commands            bool
	requests            string
	bots                []int64
	about               string
	db                  string
	layers              string
	quota               int
	attention, strategy string
	policy              heartflow.Policy // of attention; nil: hfc
	typing, stickers    string
	textCalls           bool
	speed               float64
	lasts               time.Duration
	trace               bool
	seed                uint64
	simulated           bool // connected to the simulated QQ
	file                *config.File
	policies            map[string]heartflow.Policy // that chats may name
}

// help is what -h prints before the flags.
var help = program.Help{
	About: lang.T("groupbot 是 QQ 群里的机器人；不带参数就住在模拟的 QQ 里。\n", "groupbot is a bot for QQ groups; without flags it runs in a simulated one.\n"),
	Examples: []program.Example{
		{Command: "groupbot", Meaning: lang.T("在模拟的群里试试，不用 QQ，也不用模型", "try it in a simulated group, without QQ and without a model")},
		{Command: "groupbot -init groupbot.yaml", Meaning: lang.T("写一个带注释的配置文件；改好以后用 -config groupbot.yaml 启动，加上 -check 先检查", "write a configuration file with comments; then start with -config groupbot.yaml, or check it with -check")},
		{Command: "groupbot -onebot ws://127.0.0.1:3001 -name 小炉 -owner 10001 -db xiaolu.db -model openai -model-name NAME -base-url https://api.deepseek.com/v1 -key-file key.txt",
			Meaning: lang.T("连上正在运行的 NapCat、LLBot、SnowLuma（正向 WS），用 DeepSeek 的模型；NAME 换成模型的名字，不写它、加上 -check 会列出有哪些", "connect to a NapCat, LLBot or SnowLuma that runs (forward WebSocket), with a model of DeepSeek; -check without -model-name lists the names")},
		{Command: "groupbot -qqbot 102000000 -qqbot-secret-file secret.txt -db xiaolu.db -model ollama -model-name NAME", Meaning: lang.T("用 QQ 官方机器人的账号（AppID 和 AppSecret 在 q.qq.com），照屏幕上的口令认主人", "live in QQ as an official bot (its AppID and AppSecret are on q.qq.com); it says how to tell it who its owner is")},
		{Command: "groupbot -listen 8080 -model ollama -model-name NAME", Meaning: lang.T("等 NapCat、LLBot、SnowLuma 连到 ws://127.0.0.1:8080（反向 WS），用本机 ollama 的模型", "wait for a NapCat, LLBot or SnowLuma at ws://127.0.0.1:8080 (reverse WebSocket), with a model of ollama on this machine")},
	},
}

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("groupbot", flag.ContinueOnError)
	o.mcp, o.pages = new(outside.MCP), &outside.Pages{Env: "GROUPBOT_TOKEN"}
	o.link.Flags(f)
	o.qqbot.Flags(f)
	o.pages.Flags(f, "")
	o.model.Flags(f)
	o.mcp.Flags(f)
	o.budget.Flags(f)
	o.prices.Flags(f)
	o.caps.Flags(f)
	o.social.Flags(f)
	o.talk.Flags(f)
	f.StringVar(&o.name, "name", "小炉", "the bot's `name`: it is called by it. Without -name, -alias, -about and -interests it is the bot in the file of -db")
	aliases := f.String("alias", "", "more `names`, separated by commas")
	f.StringVar(&o.about, "about", "爱坐在炉边听大家聊天，说话简短。", "who the bot is: a `text` of a sentence or a page")
	interests := f.String("interests", "", "`words` for what the bot likes to talk about, separated by commas: 猫,手冲咖啡; the bot of the default -about likes hikes and anime")
	dir := f.String("persona", "", "`directory` that says who it is, in place of -name, -alias, -about and -interests: persona.json, about.md, prompts/…")
	owners := f.String("owner", "", "QQ `numbers` of the owner, separated by commas; qqbot:OPENID for the official API")
	admins := f.String("admin", "", "QQ `numbers` of people whom the owner trusts with some commands, separated by commas; qqbot:OPENID for the official API")
	same := f.String("same", "", "`accounts` that are one person, such as 10001=qqbot:OPENID, separated by commas: the rights of one are those of the other, and 忘记我 forgets both; all others are different people")
	f.BoolVar(&o.commands, "commands", true, "the owner and admins may give commands in chats: 安静 10分钟, 说话, 睡觉, 起床, 状态, 忘记我, 重置反馈, or the same in English; 帮助 lists them")
	f.StringVar(&o.requests, "requests", "judge", "friend requests and group invites: it may `judge` them, ask (tell the owner), or pass them over (off)")
	bots := f.String("bots", "", "QQ `numbers` of other bots in the groups, separated by commas: it answers them twice in a row at most")
	f.StringVar(&o.db, "db", "", "SQLite `file` to remember in, or postgres://USER@HOST/DATABASE?being=NAME; empty: forget at exit")
	f.StringVar(&o.layers, "layers", "on", "whether it sums up, learns about people and dreams, by model calls in the background: `on` or off; auto is on")
	f.IntVar(&o.quota, "quota", 0, "most `records` that it keeps of each chat; 0: all")
	f.StringVar(&o.attention, "attention", "hfc", "when it speaks: `hfc` (Heart Flow Chat: joins talks that interest it), mention (when called), interject (also goes on with a talk) or learned (as people did in real chat)")
	f.StringVar(&o.strategy, "strategy", "auto", "how it comes to its words: in one model call, in three (think, plan, write), or `auto` (three with -attention hfc, else one)")
	f.StringVar(&o.typing, "typing", "auto", "whether it types its replies in short parts, at a human pace: on, off, or `auto` (on with a real link)")
	f.StringVar(&o.stickers, "stickers", "", "`folder` of pictures that it may send, named after what they feel like: 高兴_笑死.png; they need -typing")
	f.BoolVar(&o.textCalls, "text-calls", false, "the model cannot call tools by itself: it is told of them in the prompt, and writes its calls as text")
	f.StringVar(&o.record, "record", "", "`file` to append every OneBot event and every message of the bot to: examples/replay plays it; it holds what people say")
	f.StringVar(&o.learn, "learn", "", "learn from a recording, a `file` or a folder of them, how people answer in your groups, print how good that is, keep it beside -db if it is better, and end")
	f.StringVar(&o.weights, "weights", "own", "for -attention learned: `own`, what -learn has kept beside -db, or shipped")
	f.Float64Var(&o.speed, "speed", 0, "waiting times are divided by this; 0: 5 in the demo, 1 on a real link")
	f.DurationVar(&o.lasts, "for", 0, "end after this `duration`, such as 30s; 0: at Ctrl-C")
	f.BoolVar(&o.trace, "trace", false, "print every gate of every decision")
	f.Uint64Var(&o.seed, "seed", 0, "makes what is drawn by chance come again; 0: random")
	if o.policies, err = policies(); err != nil {
		return o, err
	}
	if o.file, err = config.Parse(f, config.Options{Help: help, Policies: o.policies, Purposes: outside.Purposes}, args, diagnostics); err != nil {
		return o, err
	}
	o.file.Reread = func() (*config.File, error) { again, err := parse(args, io.Discard); return again.file, err }
	defer func() { err = o.file.Locate(err) }()
	o.model.Use(o.file)
	o.aliases, o.interests = program.List(*aliases), program.List(*interests)
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.given = given["name"] || given["alias"] || given["about"] || given["interests"] || *dir != ""
	if !given["about"] && !given["interests"] {
		o.interests = defaultInterests
	}
	if *dir != "" {
		for _, name := range []string{"name", "alias", "about", "interests"} {
			if given[name] {
				return o, lang.Errorf("-persona 和 -%s 只能选一个：人设目录里已经有了", "-persona and -%s exclude each other: the directory says it", name)
			}
		}
		who, err := outside.ReadPersona(*dir)
		if err != nil {
			return o, err
		}
		o.use(who)
	}
	if o.owners, err = outside.Accounts("owner", *owners); err != nil {
		return o, err
	}
	if o.admins, err = outside.Accounts("admin", *admins); err != nil {
		return o, err
	}
	if o.samePerson, err = outside.SamePerson("same", *same); err != nil {
		return o, err
	}
	for _, s := range program.List(*bots) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return o, lang.Errorf("-bots：%q 不是 QQ 号", "-bots: %q is no QQ number", s)
		}
		o.bots = append(o.bots, n)
	}
	if _, ok := requests[o.requests]; !ok {
		return o, lang.Errorf("-requests %q 不认识：写 judge、ask 或者 off", "-requests %q is unknown: judge, ask or off", o.requests)
	}
	o.model.Listing = o.file.Check
	if err := errors.Join(o.link.Check(), o.qqbot.Check(), o.pages.Check(), o.model.Check(), o.budget.Check(), o.caps.Check(), o.social.Check(), o.talk.Check()); err != nil {
		return o, err
	}
	if o.speed == 0 {
		o.speed = 5
		if o.isReal() {
			o.speed = 1
		}
	}
	if o.speed < 0 || math.IsNaN(o.speed) || o.speed > maxSpeed {
		return o, lang.Errorf("-speed %v 要大于 0，不超过 100 万", "-speed %v must be positive and at most a million", o.speed)
	}
	if o.policy, err = policy(o.attention, o.speed); err != nil {
		return o, err
	}
	switch {
	case given["commands"] && o.commands && o.link.Enabled() && !o.qqbot.Enabled() && len(o.owners)+len(o.admins) == 0:
		return o, lang.Errorf("-commands 要和 -owner 或 -admin 一起写：别人不能下命令", "-commands needs -owner or -admin: nobody else may give commands")
	case o.record != "" && o.qqbot.Enabled() && !o.link.Enabled():
		return o, lang.Errorf("-record 记的是 OneBot 的事件，-qqbot 没有", "-record is for events of OneBot, which -qqbot has none of")
	case o.weights != "own" && o.weights != "shipped":
		return o, lang.Errorf("-weights %q 不认识：写 own 或者 shipped", "-weights %q is unknown: own or shipped", o.weights)
	case o.learn != "" && o.weightsFile() == "":
		return o, lang.Errorf("-learn 要和 -db 文件名 一起写：学到的放在它旁边", "-learn needs -db FILE: what is learned is kept beside it")
	case o.name == "":
		return o, lang.Errorf("-name 是空的：总得有个名字，才叫得到它", "-name is empty: a bot needs a name to be called by")
	case o.lasts < 0:
		return o, lang.Errorf("-for %v 不能是负的", "-for %v must not be negative", o.lasts)
	case o.policy == nil && o.attention != "hfc":
		return o, lang.Errorf("-attention %q 不认识：写 mention、interject、learned 或者 hfc", "-attention %q is unknown: mention, interject, learned or hfc", o.attention)
	case o.layers != "auto" && o.layers != "on" && o.layers != "off":
		return o, lang.Errorf("-layers %q 不认识：写 on、off 或者 auto", "-layers %q is unknown: on, off or auto", o.layers)
	case o.typing != "auto" && o.typing != "on" && o.typing != "off":
		return o, lang.Errorf("-typing %q 不认识：写 on、off 或者 auto", "-typing %q is unknown: on, off or auto", o.typing)
	case o.stickers != "" && !o.splitsReplies():
		return o, lang.Errorf("-stickers 要和 -typing on 一起用：表情跟在分句发的话后面", "-stickers needs -typing on: stickers stand behind typed replies")
	case o.quota < 0:
		return o, lang.Errorf("-quota %d 不能是负的", "-quota %d must not be negative", o.quota)
	case o.strategy != "auto" && o.strategy != "one" && o.strategy != "three":
		return o, lang.Errorf("-strategy %q 不认识：写 one、three 或者 auto", "-strategy %q is unknown: one, three or auto", o.strategy)
	}
	return o, nil
}

// isReal reports whether the flags name a connection to QQ.
func (o options) isReal() bool { return o.link.Enabled() || o.qqbot.Enabled() }

// lang returns the language of what is printed.
func (o options) lang() lang.Language {
	if o.file == nil {
		return lang.Chinese
	}
	return o.file.Lang
}

// splitsReplies reports whether replies are typed in parts.
func (o options) splitsReplies() bool {
	return o.typing == "on" || o.typing == "auto" && o.isReal() && !o.simulated
}

// maxSpeed is the greatest -speed.
const maxSpeed = 1e6

// requests by the name in the flag.
var requests = map[string]social.Requests{"judge": social.JudgeRequests, "ask": social.AskOwner, "off": social.NoRequests}

// policies returns the policies that chats may name, beside the built-in ones.
func policies() (map[string]heartflow.Policy, error) {
	p, err := policy("learned", 1)
	return map[string]heartflow.Policy{"learned": p}, err
}

// policy returns the policy of that name, as flags and files give it; nil: there is none.
func policy(name string, speed float64) (heartflow.Policy, error) {
	switch name {
	case "mention":
		return heartflow.MentionOnly{}, nil
	case "interject":
		return heartflow.Interject{}, nil
	case "learned":
		return learned.New(learned.Options{Speed: speed})
	}
	return nil, nil
}

// useCharacter takes the character from the file of -db, unless flags give it.
func (o *options) useCharacter(ctx context.Context) error {
	mine := persona.Profile{Name: o.name, Aliases: o.aliases, About: o.about, Interests: o.interests}
	who, err := outside.Character(ctx, o.db, persona.Character{Profile: mine, Prompts: o.prompts, Documents: o.documents}, o.given)
	o.use(who)
	return err
}

func (o *options) use(who persona.Character) {
	o.name, o.aliases, o.about, o.interests = who.Profile.Name, who.Profile.Aliases, who.Profile.About, who.Profile.Interests
	o.prompts, o.documents = who.Prompts, who.Documents
}
