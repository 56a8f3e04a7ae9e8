package main

import (
	"cmp"
	"flag"
	"os"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
)

// options are the flags.
type options struct {
	lang   lang.Language
	db     string
	lease  time.Duration
	sleep  time.Duration
	model  outside.Model
	speed  float64
	name   string
	listen string

	accounts, processes int
	every               time.Duration // between two messages of people in a group
	seed                uint64

	worker   bool
	reverse  bool
	gateway  string
	id       string
	beings   string
	attached bool

	environment []string // of the processes, besides that of this one; for tests
}

var help = program.Help{
	About: lang.T("fleet 用很多进程跑很多机器人，共用一个 PostgreSQL：哪个进程挂了，别的进程接着跑它的机器人。\n",
		"fleet runs many bots on many processes over one PostgreSQL. If a process fails, the others go on with its bots.\n"),
	Examples: []program.Example{
		{Command: "fleet", Meaning: lang.T("在这台机器上演示：自带数据库、模拟的平台和网页", "a demonstration on this machine, with a database, a simulated platform and a page")},
		{Command: "fleet -worker -db postgres://hearth@db/hearth -beings beings.txt", Meaning: lang.T("真的用：每台机器上都这样启动", "for real: start it like this on each machine")},
	},
	Sections: []program.Section{
		{Title: lang.T("演示", "Demonstration"), Flags: []string{"accounts", "processes", "reverse", "every", "seed", "listen"}},
		{Title: lang.T("真的用", "For real"), Flags: []string{"worker", "id", "beings", "gateway"}},
		{Title: lang.T("两种都行", "Both"), Flags: []string{"db", "lease", "sleep", "name", "speed", "lang"}},
	},
	Chinese: func(name string) string { return chinese[name] },
}

var chinese = map[string]string{
	"accounts":  "模拟的账号有多少个，一个账号一个机器人",
	"processes": "进程有多少个",
	"every":     "一个群里平均多久来一条消息",
	"seed":      "随机数的种子；0：每次不同",
	"listen":    "网页的地址",
	"worker":    "只当一个进程：跑这个列表里归它的机器人",
	"id":        "这个进程的名字，同时跑着的不能重名；空：主机名和进程号",
	"beings":    "机器人的列表：一行一个，「名字 ws://地址」，反向 WS 写「名字 QQ号」；所有进程用同一份",
	"gateway":   "等反向 WS 连上来的地址，例如 0.0.0.0:8080；连到哪个进程都行",
	"reverse":   "模拟的账号用反向 WS，轮流连到各个进程",
	"attached":  "标准输入关了就结束，演示用",
	"db":        "数据库 postgres://用户@主机/数据库（密码放 PGPASSWORD 或 ~/.pgpass）；空：环境变量 HEARTH_DB，演示还可以自己起一个临时的",
	"lease":     "进程挂了多久以后，别的进程才接手；所有进程要一样",
	"sleep":     "反向 WS 的机器人闲了这么久就睡下，只在数据库里留一行，来了消息、到了定时的点再醒；睡的不自己起话头、不闲着做打算；0：一直醒着",
	"name":      "机器人的名字",
	"speed":     "时间快多少倍，演示用",
	"lang":      "显示的语言：zh 或者 en（默认跟随系统）",
}

func (o *options) flags(f *flag.FlagSet) {
	f.IntVar(&o.accounts, "accounts", 50, "`number` of simulated accounts, each with a bot")
	f.IntVar(&o.processes, "processes", 3, "`number` of processes")
	f.DurationVar(&o.every, "every", 20*time.Second, "average time between two messages in a group")
	f.Uint64Var(&o.seed, "seed", 0, "seed of chance; 0: another one each time")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8095", "`address` of the page")
	f.BoolVar(&o.worker, "worker", false, "be one of the processes: run those bots of the list that it should have")
	f.StringVar(&o.id, "id", "", "`name` of this process, unique among those that run; empty: that of the host and the number of the process")
	f.StringVar(&o.beings, "beings", "", "`file` with the bots: one a line, NAME ws://ADDRESS, or for reverse WebSocket NAME ACCOUNT; the same for all processes")
	f.StringVar(&o.gateway, "gateway", "", "`address` for reverse WebSockets, such as 0.0.0.0:8080; each account may connect to any process")
	f.BoolVar(&o.reverse, "reverse", false, "the simulated accounts connect to the processes by reverse WebSocket, one after the other")
	f.BoolVar(&o.attached, "attached", false, "end when the standard input ends, for the demonstration")
	f.StringVar(&o.db, "db", os.Getenv("HEARTH_DB"), "`database` postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass; empty: that of HEARTH_DB, and the demonstration can start one of its own")
	f.DurationVar(&o.lease, "lease", 15*time.Second, "time after which others take over from a process that failed; the same for all processes")
	f.DurationVar(&o.sleep, "sleep", 10*time.Minute, "a bot with a reverse WebSocket that is idle for so long sleeps as a row of the database, until a message or something planned wakes it; it begins no talks and plans nothing ahead; 0: none sleeps")
	f.StringVar(&o.name, "name", "小炉", "the bots' `name`")
	f.Float64Var(&o.speed, "speed", 1, "time passes this many `times` faster, for demonstrations")
	f.Func("lang", "`language` of the output: zh or en; by default that of the system", func(s string) error { return lang.Language(s).Check() })
	o.model.Flags(f)
}

func (o *options) check() error {
	switch {
	case o.accounts < 1 || o.processes < 1:
		return lang.Errorf("-accounts 和 -processes 至少是 1", "-accounts and -processes are at least 1")
	case o.lease < 100*time.Millisecond || o.every <= 0 || o.speed <= 0:
		return lang.Errorf("-lease 至少 100ms，-every 和 -speed 要大于 0", "-lease is at least 100ms; -every and -speed are greater than 0")
	case o.sleep < 0:
		return lang.Errorf("-sleep 不能小于 0", "-sleep is at least 0")
	case o.worker && (o.db == "" || o.beings == ""):
		return lang.Errorf("-worker 还要 -db 和 -beings", "-worker needs -db and -beings")
	}
	if o.worker && o.id == "" {
		host, _ := os.Hostname()
		o.id = cmp.Or(host, "host") + "-" + digits(int64(os.Getpid()))
	}
	if !o.model.Offline() && !o.worker {
		return lang.Errorf("演示只用离线模型：-model 和 -worker 一起写", "the demonstration uses the offline model: -model goes with -worker")
	}
	return o.model.Check()
}
