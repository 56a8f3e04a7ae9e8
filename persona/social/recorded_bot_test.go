package social_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// This file makes the bot of a recorded world and calls its methods. No other recorded_* file uses the exported names
// of package social.

const recordedOwner, recordedAdmin = 5001, 5003

// A recordedRun is one run of the bot.
type recordedRun struct {
	bot      *social.Bot
	store    *crashingStore
	cancel   context.CancelFunc
	ended    chan error
	killed   chan struct{}
	counters map[string][]byte // counter rows at its start

	plugins *nit.Plugins // nil: tools are not plugins
}

func qqChat(kind string, id int64) persona.Chat {
	return persona.Chat{Platform: "qq", Kind: kind, ID: fmt.Sprint(id)}
}

// newCode returns a code for a notice. Codes are numbered, because random ones would be in prompts.
func (w *recordedWorld) newCode() string {
	n := w.codes.Add(1)
	const digits = "234567"
	return string([]byte{'K', 'Q', 'M', digits[n/36%6], digits[n/6%6], digits[n%6]})
}

// newBot makes the bot of a world on its store. The seed selects its features.
func (w *recordedWorld) newBot(r *recordedRun) *social.Bot {
	n := w.seed
	store := recordingStore{crashingStore: r.store, rec: w.rec}
	o := social.Options{
		Profile: persona.Profile{Name: "小炉", Aliases: []string{"炉子"}, About: "爱坐在炉边的人"},
		Model:   w.model("main"),
		Link:    onebotlink.New(w, onebotlink.Options{Bots: []int64{robot}}),
		Storage: social.Storage{Store: store},
		Tools:   social.Tools{Registry: w.tools()},
		Access: social.Access{
			Owners:   []persona.Account{qqAccount(recordedOwner)},
			Admins:   []persona.Account{qqAccount(recordedAdmin)},
			Commands: n%8 != 7,
			Requests: []social.Requests{social.JudgeRequests, social.JudgeRequests, social.AskOwner, social.JudgeRequests, social.NoRequests}[n%5],
		}.WithCodes(w.newCode),
		Hooks:    social.Hooks{Notify: w.notify, Trace: w.trace, Logger: logger()},
		When:     social.When{Chats: w.chatOptions},
		Location: time.UTC,
	}
	if n%2 == 0 {
		o.Access.OnJoinRequest = func(_ context.Context, r persona.Request) {
			w.rec.note(eventHost, "joins %+v", r)
			w.requested(r)
		}
	}
	if n%2 == 1 {
		o.Access.Redact = func(_ context.Context, text string) (string, error) {
			return strings.ReplaceAll(text, "138", "[略]"), nil
		}
	}
	o.When.Attention.Seed = n + 1
	o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 1 << min(40, bits.UintSize-2), DayTokens: 1 << min(40, bits.UintSize-2)})
	if n%10 == 9 {
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 60_000})
	}
	if n%7 == 3 {
		o.When.Attention.MaxAge = 15 * time.Second
	}
	if n%6 == 0 {
		o.When.Attention.Policy = heartflow.Interject{Base: .6}
	}
	if n%3 != 0 {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.GlobalState(n / 3 % 4)}, AskFocus: n%2 == 0, Topics: []string{"天气", "爬山"}}
	}
	if n%4 >= 2 {
		o.Reply.Strategy = social.ThinkPlanReply
	}
	if n%4 == 1 {
		o.When.Banned = w.filter("违禁词")
		p := social.Pictures{}
		if n%8 == 1 {
			p.Describe = func(_ context.Context, p persona.Picture) (string, error) {
				return fmt.Sprintf("一张 %d 字节的图", len(p.Data)), nil
			}
		}
		w.images.options(p)(&o)
	}
	if n%6 == 5 {
		o.Storage.Quota = memory.Quota{Records: 40}
	}
	if n%9 == 4 {
		o.Storage.Indexes, o.Storage.Embedder, o.Storage.EmbedderID = []memory.Index{emptyIndex{}}, recordingEmbedder{rec: w.rec}, "hearth-hashed-1024"
	}
	if n%8 == 3 {
		o.Tools.Scripts, o.Reply.Strategy = &social.Scripts{}, social.SingleCall
	}
	w.speech(&o, store)
	w.digest(&o)
	w.autonomy(&o)
	w.builtin(&o)
	if n%5 == 1 {
		plugins, err := nit.NewPlugins(w.Context(), o.Tools.Registry, nit.PluginOptions{})
		require.NoError(w, err)
		o.Tools.Plugins, r.plugins = plugins, plugins
	}
	o.Reply.Turn.CallOptions = []llms.CallOption{llms.WithTemperature(.5 + float64(n%4)/10)}
	bot, err := social.New(o)
	require.NoError(w, err)
	return bot
}

// trace takes virtual time, as a write does: goroutines woken by a decision run before the caller continues.
func (w *recordedWorld) trace(t heartflow.Trace) {
	w.rec.noteAt(t.At, eventHost, "trace %v", t)
	time.Sleep(time.Duration(1 + w.rec.dice("trace", t.Chat, string(t.Kind), fmt.Sprint(t.At.UnixNano(), t.Why)).Int64N(20_000)))
}

func (w *recordedWorld) filter(word string) *heartflow.Filter {
	f, err := heartflow.NewFilter([]string{word}, nil)
	require.NoError(w, err)
	return f
}

// chatOptions makes group 1 public in half of the worlds, group 2 one with SpeakLess, and turns group 4 off.
func (w *recordedWorld) chatOptions(c persona.Chat) (o social.ChatOptions) {
	switch c {
	case qqChat(persona.Group, 1):
		o.Public = w.seed%2 == 0
	case qqChat(persona.Group, 2):
		o.SpeakLess, o.NoFocus = true, w.seed%2 == 0
		o.Attention.Keywords = []string{"炉火"}
	case qqChat(persona.Group, 3):
		o.Banned = w.filter("别的词")
	case qqChat(persona.Group, 4):
		o.Off = true
	}
	return o
}

func (w *recordedWorld) notify(_ context.Context, text string) error {
	defer w.rec.pause("notify", text)
	if w.seed%8 == 6 && w.rec.dice("notify", text, w.now().Format(time.Kitchen)).IntN(3) == 0 {
		w.rec.note(eventHost, "notify failed: %s", text)
		return errors.New("the owner's device is off")
	}
	w.rec.note(eventHost, "notify %s", text)
	return nil
}

func (w *recordedWorld) speech(o *social.Options, store recordingStore) {
	if w.seed%3 != 1 {
		return
	}
	o.Reply.Speech = &social.Speech{Split: speech.SplitOptions{SplitChance: .8}, Stream: w.seed%2 == 0, StickerChance: .6}
	if w.seed%4 < 3 {
		o.Reply.Speech.Stickers = pickerOf(w.root, store)
	}
}

func (w *recordedWorld) digest(o *social.Options) {
	if w.seed%5 == 4 {
		return
	}
	o.Background.Digest = &social.Digest{NoSummary: w.seed%10 == 7, NoPeople: w.seed%10 == 8, NoDream: w.seed%10 == 6}
	o.Background.Digest.Summary.Turns = 5
	if w.seed%3 == 0 {
		o.Background.Digest.Model, o.Background.Digest.CallOptions = w.model("layers"), []llms.CallOption{llms.WithMaxTokens(700)}
	}
}

func (w *recordedWorld) autonomy(o *social.Options) {
	if w.seed%7 != 0 && w.seed%2 != 0 {
		return
	}
	d := &social.Autonomy{
		Character: "# 小炉\n\n## 用户画像推测\n空。\n", NoInnerState: w.seed%10 == 2, NoGlobalReflection: w.seed%14 == 4,
		ShowNotification: func(_ context.Context, title, text string) error {
			w.rec.note(eventHost, "notice %s: %s", title, text)
			return nil
		},
		OnWake: func(l social.WakeResult) {
			w.rec.noteAt(l.At, eventHost, "lived %s %v %+v said %q failed %v", l.Wake.ID, l.Wake.Kind, l.Wake.Origin, l.Text, l.Err)
		},
	}
	if w.seed%4 != 0 {
		d.DeliverToOwner = func(_ context.Context, text string) error { w.rec.note(eventHost, "say %s", text); return nil }
	}
	if w.seed%3 == 0 {
		d.RecentActivity = func(_ context.Context, since time.Time) ([]social.OwnerActivity, error) {
			return []social.OwnerActivity{{App: "编辑器", Title: "写代码", From: since, To: w.now()}}, nil
		}
		d.Model, d.CallOptions = w.model("days"), []llms.CallOption{llms.WithMaxTokens(900)}
	}
	if w.seed%4 == 2 {
		d.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
	}
	d.Planner.BackgroundPerHour = 2
	o.Background.Autonomy = d
}

func (w *recordedWorld) builtin(o *social.Options) {
	if w.seed%6 == 5 {
		return
	}
	o.Tools.Builtin = &social.BuiltinTools{Notes: w.seed%4 != 1}
	if w.seed%2 == 0 {
		o.Tools.Builtin.Watch = &self.WatchOptions{Names: []string{"老王"}, Watched: []persona.Account{{Platform: "qq", ID: "1003"}}}
	}
}

// tools returns a tool with a side effect.
func (w *recordedWorld) tools() *nit.Registry {
	pay, err := nit.Define("pay", nit.L1, "付钱", func(ctx context.Context, in toolArgs) (string, error) {
		w.rec.note(eventHost, "pay %d", in.Conv)
		select {
		case <-time.After(time.Duration(w.rec.dice("pay", fmt.Sprint(in.Conv), w.now().String()).Int64N(int64(3 * time.Second)))):
		case <-ctx.Done():
		}
		return "付了", ctx.Err()
	})
	require.NoError(w, err)
	r := &nit.Registry{}
	require.NoError(w, r.Add(pay))
	return r
}

// Methods that a host calls concurrently while the bot runs.

// host calls f with the running bot and records the result.
func (w *recordedWorld) host(what string, f func(ctx context.Context, b *social.Bot) string) {
	r := w.current
	if r == nil {
		return
	}
	w.calls.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		defer cancel()
		w.rec.note(eventHost, "%s", what)
		w.rec.note(eventHost, "%s: %s", what, f(ctx, r.bot))
	})
}

func (w *recordedWorld) owner(text string) {
	w.host("owner "+text, func(ctx context.Context, b *social.Bot) string {
		reply, err := b.OwnerMessage(ctx, text)
		return fmt.Sprintf("%q %v", reply, err)
	})
}

func (w *recordedWorld) stream(text string) {
	w.host("talk "+text, func(ctx context.Context, b *social.Bot) string {
		return fmt.Sprint(b.StreamOwnerMessage(ctx, text, func(_ context.Context, item string) error {
			w.rec.note(eventHost, "item %s", item)
			return nil
		}))
	})
}

func (w *recordedWorld) erasePerson(who int64) {
	w.host(fmt.Sprint("forget person ", who), func(ctx context.Context, b *social.Bot) string {
		n, err := b.ErasePerson(ctx, qqAccount(who), nil)
		return fmt.Sprint(n, err)
	})
}

func (w *recordedWorld) eraseChat(c persona.Chat) {
	w.host("forget chat "+c.String(), func(ctx context.Context, b *social.Bot) string {
		n, err := b.EraseChat(ctx, c, nil)
		return fmt.Sprint(n, err)
	})
}

func (w *recordedWorld) answerRequest(r persona.Request, approve bool) {
	w.host("answer "+r.ID, func(ctx context.Context, b *social.Bot) string {
		return fmt.Sprint(b.AnswerRequest(ctx, r, approve, "因为"))
	})
}

func (w *recordedWorld) appOpened(d time.Duration) {
	if w.current == nil {
		return
	}
	closed := w.current.bot.AppOpened()
	w.later(d, closed)
}

// switchPlugin turns the tools of the link off or on.
func (w *recordedWorld) switchPlugin(off bool) {
	if w.current == nil {
		return
	}
	plugins := w.current.plugins
	w.host(fmt.Sprint("plugin off ", off), func(ctx context.Context, _ *social.Bot) string {
		return fmt.Sprint(plugins.SwitchPlugin(ctx, "social_adapter", nit.Switch{Off: off}))
	})
}

// recordStats records the end of a run.
func (w *recordedWorld) recordStats(r *recordedRun, err error) {
	w.rec.note(eventHost, "ended %v: %+v", err, r.bot.Stats())
}

// agenda records the bot's agenda.
func (w *recordedWorld) agenda() {
	w.host("day", func(ctx context.Context, b *social.Bot) string {
		d, err := b.Agenda(ctx)
		return fmt.Sprintf("%+v %v", d, err)
	})
}

// Run implements the link's source. It keeps the event handler, so that the script can inject events. The link ends a
// moment after ctx: a call interrupted by a shutdown ends by its own context, not by the link.
func (w *recordedWorld) Run(ctx context.Context, h onebot.Handler) error {
	linked, drop := context.WithCancel(context.WithoutCancel(ctx))
	defer drop()
	stop := context.AfterFunc(ctx, func() { time.Sleep(time.Microsecond); drop() })
	defer stop()
	return w.client().Run(linked, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		w.mu.Lock()
		w.handle = func(e onebot.Event) { h(ctx, bot, e) }
		w.mu.Unlock()
		h(ctx, bot, e)
	})
}

var _ social.Store = recordingStore{}
