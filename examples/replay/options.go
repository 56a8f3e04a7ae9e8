package main

import (
	"cmp"
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

var help = program.Help{
	About: lang.T("replay 把聊天记录放给模拟的机器人看，时间也是模拟的，打印它的每个决定。\n\n"+
		"用法：replay [参数] 记录.jsonl[.gz]\n\n"+
		"记录是 groupbot -record 录下来的 OneBot 事件，或者标了谁回复谁的消息。\n- 读标准输入。\n",
		"replay plays a chat log to a simulated bot on virtual time and prints the bot's\ndecisions.\n\n"+
			"usage: replay [flags] LOG.jsonl[.gz]\n\n"+
			"A log contains messages with a reply graph, or OneBot events from\ngroupbot -record; - reads standard input.\n"),
	Examples: []program.Example{
		{Command: "replay events.jsonl", Meaning: lang.T("它在录下来的群里什么时候会说话、为什么", "when it would speak in the recorded groups, and why")},
		{Command: "replay -policy learned,mention -html events.html events.jsonl", Meaning: lang.T("两种策略的决定并排画成网页", "a page with the decisions of two policies side by side")},
		{Command: "replay -policy learned,mention -as '*' -score chat.jsonl.gz", Meaning: lang.T("轮流扮演每个人，数它和本人有多少次一致", "play every speaker, and count how often bot and speaker agree")},
	},
	Chinese: func(name string) string { return chinese[name] },
}

var chinese = map[string]string{
	"policy": "用哪些策略，用逗号隔开：" + policyNames() + "；后面可以跟参数，例如 interject:base=.1:partner=.8",
	"as":     "扮演记录里的这个人；* 是每个至少有 -min 条带标注消息的人；空：它只是在群里听",
	"min":    "-as '*' 的人至少有几条带标注的消息；0：15",
	"name":   "它在群里听的时候叫什么，用逗号隔开",
	"chat":   "只放这个聊天",
	"seed":   "随机数的种子",
	"score":  "打印次数，不打印每个决定",
	"html":   "写一个网页到这个文件；最多两种策略",
	"lang":   "原因和网页用哪种语言：en 或者 zh",
}

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
	if err := program.Parse(f, help, args, diagnostics); err != nil {
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
		return o, lang.Errorf("放哪个记录？用法：replay [参数] 记录.jsonl[.gz]（-h 列出所有参数）", "which log? usage: replay [flags] LOG.jsonl[.gz]; -h lists the flags")
	case f.NArg() > 1:
		return o, lang.Errorf("多出来的 %q：只要一个记录，写在所有参数后面", "unexpected argument %q: one log, after all flags", f.Arg(1))
	case o.min < 0:
		return o, lang.Errorf("-min %d 不能是负数", "-min %d must not be negative", o.min)
	case o.as != "" && given(f, "name"):
		return o, lang.Errorf("-name 给在群里听的机器人用：有 -as 的时候，它叫那个人的名字", "-name is for a bot that listens: with -as it is called like the speaker")
	case o.min > 0 && o.as != "*":
		return o, lang.Errorf("-min 要和 -as '*' 一起用", "-min is for -as '*'")
	case len(o.names) == 0:
		return o, lang.Errorf("-name 是空的：没有名字就叫不了它", "-name is empty: a bot needs a name to be called by")
	case o.seed == 0:
		return o, lang.Errorf("-seed 不能是 0：再放一次，结果要一样", "-seed must not be 0: what is played must come out the same again")
	case o.lang != "en" && o.lang != "zh":
		return o, lang.Errorf("-lang %q：写 en 或者 zh", "-lang %q: en or zh", o.lang)
	case o.html != "" && len(o.variants) > 2:
		return o, lang.Errorf("-html 最多两种策略，不能是 %d 种", "-html shows two policies at most, not %d", len(o.variants))
	case o.html != "" && o.as == "*":
		return o, lang.Errorf("-html 只能扮演一个人：用 -as 写他的名字", "-html shows one speaker: name them by -as")
	}
	o.min, o.file = cmp.Or(o.min, 15), f.Arg(0)
	return o, nil
}

// given reports whether a flag was set.
func given(f *flag.FlagSet, name string) (is bool) {
	f.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}
