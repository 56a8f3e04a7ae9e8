package presence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/health"
	"github.com/hearth-bot/hearth/persona/trace"
)

// CommandOptions give commands access to the whole bot.
type CommandOptions struct {
	ForgetPerson func(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error)
	Welcome      func(now time.Time, chat persona.Chat) float64 // how welcome the bot is in a chat; nil: unknown
	// ResetFeedback forgets how welcome the bot is in a chat; nil: nothing is known about that.
	ResetFeedback func(ctx context.Context, chat persona.Chat) error
	Stats         func() engine.Stats
	Links         func() []trace.LinkHealth // may be nil
	ModelState    func(english bool) string // what is wrong with the model, in a sentence; "" if nothing is; may be nil
	// Changed notes the change that a command has made; a zero chat means the whole bot.
	Changed func(ctx context.Context, by persona.Account, chat persona.Chat, field, old, new string)
}

// Commands parses and executes commands of owners and admins in chats, one at a time.
type Commands struct {
	engine   *engine.Engine
	presence *Presence
	o        CommandOptions
	orders   *engine.Queue[order]
}

// An order is a command with an authorized author.
type order struct {
	persona.Command
	chat *engine.Chat
	m    persona.Message
	by   persona.Account
}

const (
	clockFormat     = "01-02 15:04"
	commandKind     = "command"
	maxCommandBytes = 200 // longer messages are no commands
	defaultQuiet    = 30 * time.Minute
)

// NewCommands returns the commands of an engine and its Presence.
func NewCommands(e *engine.Engine, p *Presence, o CommandOptions) *Commands {
	return &Commands{engine: e, presence: p, o: o, orders: engine.NewQueue[order]()}
}

// Part returns the callbacks for the engine.
func (c *Commands) Part() engine.Part {
	return engine.Part{Run: c.run, HandleMessage: c.enqueue, IsCommand: c.isCommand}
}

// adminAllowed reports whether admins may give a command, too.
func adminAllowed(k persona.CommandKind) bool {
	return k == persona.CommandQuiet || k == persona.CommandSpeak || k == persona.CommandStatus || k == persona.CommandHelp
}

// enqueue reports whether a message is a command, and queues it. Turns see such a message only as history. The text of
// unauthorized authors is not parsed, so they cannot find out that commands exist.
func (c *Commands) enqueue(chat *engine.Chat, m persona.Message) bool {
	cmd, who, ok := c.parse(m)
	if ok {
		c.orders.Add(order{cmd, chat, m, who})
	}
	return ok
}

// isCommand reports whether a message is a command.
func (c *Commands) isCommand(m persona.Message) bool {
	_, _, ok := c.parse(m)
	return ok
}

// parse returns the command in a message of somebody who may give it.
func (c *Commands) parse(m persona.Message) (cmd persona.Command, who persona.Account, ok bool) {
	who = persona.Account{Platform: m.Chat.Platform, ID: m.From}
	if m.Own || m.Bot || !c.engine.Router.IsAdmin(who) || len(m.Text) > maxCommandBytes {
		return cmd, who, false
	}
	text, ok := c.addressed(m)
	if !ok {
		return cmd, who, false
	}
	cmd, ok = persona.ParseCommand(text)
	return cmd, who, ok && (c.engine.Router.IsOwner(who) || adminAllowed(cmd.Kind))
}

// addressed returns the text that is directed at the bot: the text after a mention of the bot alone, or after the bot's
// name. In private chats it may also be the whole message.
func (c *Commands) addressed(m persona.Message) (string, bool) {
	if m.Parts != nil && !isCommandForm(m) {
		return "", false
	}
	text := strings.TrimSpace(m.Words())
	if m.AtMe && m.Parts != nil { // the name in the mention is no part of the command
		return text, len(m.Mentions) == 1
	}
	if m.AtMe && strings.HasPrefix(text, "@") {
		i := strings.IndexFunc(text, unicode.IsSpace)
		return text[max(i, 0):], i > 0 && len(m.Mentions) == 1
	}
	for _, name := range append([]string{c.engine.Options.Profile.Name}, c.engine.Options.Profile.Aliases...) {
		rest, ok := strings.CutPrefix(text, name)
		if said := strings.TrimLeft(rest, " \u3000,，:：、"); ok && name != "" && len(said) < len(rest) {
			return said, true
		}
	}
	return text, m.Chat.Kind == persona.Private
}

// isCommandForm reports whether a message has nothing but text, after a mention of the bot or none.
func isCommandForm(m persona.Message) bool {
	for i, p := range m.Parts {
		switch p.(type) {
		case persona.Text:
		case persona.Mention:
			if !m.AtMe || strings.TrimSpace(persona.TextOf(m.Parts[:i])) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// run executes queued commands, one at a time.
func (c *Commands) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.orders.Wake:
		}
		for _, o := range c.orders.Take() {
			if ctx.Err() == nil {
				c.execute(ctx, o)
			}
		}
	}
}

// execute persists the effect of a command and answers it. A command that is interrupted before its answer is executed
// again while the message is fresh; executing a command is idempotent.
func (c *Commands) execute(ctx context.Context, o order) {
	j := &engine.Job{Chat: o.chat, Caller: o.m, OwnerOrder: true}
	j.Job = jobs.Job{
		ID: commandKind + "/" + o.chat.ID.String() + "/" + o.m.Key, Kind: commandKind, Chat: o.chat.ID, At: o.m.At, ExpiresAt: o.m.At.Add(c.engine.Options.MaxAge),
	}
	var after func()
	j.Ask = func(ctx context.Context, t *engine.Turn) (w engine.Answer, err error) {
		c.engine.Attention.ResetConsecutive(time.Now(), o.chat.ID)
		var before func()
		if before, after, w.Text, err = c.command(ctx, o); err != nil && ctx.Err() != nil {
			return w, err
		}
		if err != nil {
			c.engine.Log.Error("a command failed", "command", o.Kind, "err", err)
			w.Text = o.text("没做成。", "That did not work.")
		}
		if o.Kind == persona.CommandForgetConfirm { // erasing a person may have deleted the job's row
			if err := c.engine.Jobs.Claim(ctx, time.Now(), j.Job); err != nil && !errors.Is(err, jobs.ErrClaimed) {
				return w, err
			}
		}
		before()
		return w, nil
	}
	j.Deliver = func(ctx context.Context, t *engine.Turn, w *engine.Answer, err error) (string, error) {
		if err != nil {
			return "error: " + err.Error(), err
		}
		outcome := "done"
		after = sync.OnceFunc(after)
		u := &engine.Utterance{Turn: t, Chat: o.chat.ID, FullText: w.Text, AfterSend: after, Notice: c.answersWhileSilent(o)}
		if _, err = u.Send(ctx, w.Outgoing); err != nil && ctx.Err() != nil && !t.IsDurable() {
			return "", err
		}
		if err != nil && ctx.Err() == nil {
			c.engine.Log.Warn("could not answer a command in its chat", "command", o.Kind, "err", err)
			outcome = "unanswered: " + err.Error()
			if !errors.Is(err, engine.ErrUnclear) {
				c.engine.NotifyOwner(ctx, engine.Notice{Text: "在 " + o.chat.ID.String() + " 回不了话：" + w.Text, Chat: o.chat.ID})
			}
		}
		after()
		return outcome, nil
	}
	if _, err := c.engine.Do(ctx, j); err != nil && !errors.Is(err, jobs.ErrDone) && !errors.Is(err, jobs.ErrClaimed) && ctx.Err() == nil {
		c.engine.Log.Error("could not claim a command or store its outcome", "command", o.Kind, "err", err)
	}
}

// answersWhileSilent reports whether an answer is sent although the bot is quiet in the chat or asleep: an owner sees it in
// private.
func (c *Commands) answersWhileSilent(o order) bool {
	now := time.Now()
	return o.chat.ID.Kind == persona.Private && c.engine.Router.IsOwner(o.by) &&
		(c.presence.Quiet(o.chat.ID).Until.After(now) || c.engine.Attention.State(now, o.chat.ID) == heartflow.Offline)
}

func (o order) text(chinese, english string) string {
	if o.English {
		return english
	}
	return chinese
}

// command persists the effect of a command. Effects that open a chat are applied before the answer is sent, effects
// that close it afterwards.
func (c *Commands) command(ctx context.Context, o order) (before, after func(), answer string, err error) {
	before, after = func() {}, func() {}
	now, chat := time.Now(), o.chat.ID
	switch o.Kind {
	case persona.CommandQuiet:
		q := Quiet{Until: o.m.At.Add(cmp.Or(o.Duration, defaultQuiet)).Round(0), Owner: c.engine.Router.IsOwner(o.by)}
		old := c.presence.Quiet(chat)
		if q, err = c.presence.SetQuiet(ctx, now, chat, q); err == nil {
			c.noteQuiet(ctx, o, now, old, q)
			until := q.Until.In(c.engine.Options.Location).Format(clockFormat)
			answer = o.text("好，安静到 "+until+"。", "All right, quiet until "+until+".")
			after = func() { c.presence.Apply(time.Now(), chat) }
		}
	case persona.CommandSpeak:
		q := c.presence.Quiet(chat)
		if q.Owner && q.Until.After(now) && !c.engine.Router.IsOwner(o.by) {
			answer = o.text("是主人让我安静的。", "My owner wants me quiet.")
			break
		}
		if _, err = c.presence.SetQuiet(ctx, now, chat, Quiet{}); err == nil {
			c.noteQuiet(ctx, o, now, q, Quiet{})
			answer = o.text("好。", "All right.")
			if !q.Until.IsZero() {
				before = func() { c.presence.Apply(time.Now(), chat) }
			}
		}
	case persona.CommandSleep:
		var until time.Time
		if o.Duration > 0 {
			until = o.m.At.Add(o.Duration)
		}
		if err = c.saveSleep(ctx, o, &until); err == nil {
			answer = o.text("晚安。", "Good night.")
			after = func() { c.engine.Attention.Sleep(time.Now(), until) }
		}
	case persona.CommandWake:
		if err = c.saveSleep(ctx, o, nil); err == nil {
			answer = o.text("醒了。", "Awake.")
			before = func() { c.engine.Attention.Wake(time.Now()) }
		}
	case persona.CommandStatus:
		answer = c.status(now, o)
	case persona.CommandHelp:
		answer = c.help(o)
	case persona.CommandResetFeedback:
		switch {
		case c.o.ResetFeedback == nil:
			answer = o.text("我没有记大家的反应。", "I keep no record of how people took what I said.")
		case chat.Kind != persona.Group:
			answer = o.text("要重置哪个群，就在哪个群里跟我说。", "Tell me in the group that is to be reset.")
		default:
			answer = o.text("好，从头看。", "All right, from the start.")
			err = c.o.ResetFeedback(ctx, chat)
		}
	case persona.CommandForget:
		answer = o.text("你在各个聊天里说过的话，和我对你的印象，都会忘掉，不能恢复。真要这样，就说「确认忘记我」。",
			`What you said in any chat and what I think of you will be forgotten for good. To do that, say "forget me for good".`)
	case persona.CommandForgetConfirm:
		if _, err = c.o.ForgetPerson(ctx, o.by, nil); err == nil {
			answer = o.text("都忘了。", "Forgotten.")
		}
	}
	return before, after, answer, err
}

// noteQuiet notes a change of the quiet in the chat of a command.
func (c *Commands) noteQuiet(ctx context.Context, o order, now time.Time, old, is Quiet) {
	if c.o.Changed != nil && old != is {
		c.o.Changed(ctx, o.by, o.chat.ID, "quiet", UntilText(now, old.Until), UntilText(now, is.Until))
	}
}

// saveSleep persists whether the bot sleeps, and notes the change.
func (c *Commands) saveSleep(ctx context.Context, o order, until *time.Time) error {
	old := c.presence.SleepText(time.Now())
	err := c.presence.SaveSleep(ctx, until)
	if is := c.presence.SleepText(time.Now()); err == nil && c.o.Changed != nil && is != old {
		c.o.Changed(ctx, o.by, persona.Chat{}, "sleep", old, is)
	}
	return err
}

// help lists the commands that the author may give.
func (c *Commands) help(o order) string {
	lines := []string{
		o.text("安静 10分钟：在这里先不说话", "quiet 10m: say nothing here"),
		o.text("说话：接着说", "speak: talk again"),
		o.text("状态：我怎么样了", "status: how I am"),
	}
	if c.engine.Router.IsOwner(o.by) {
		lines = append(lines,
			o.text("睡觉 8小时：在哪里都不说话", "sleep 8h: say nothing anywhere"),
			o.text("起床：醒过来", "wake: end that"),
			o.text("忘记我：忘掉你说过的话", "forget me: forget what you said"),
		)
	}
	if c.engine.Router.IsOwner(o.by) && c.o.ResetFeedback != nil && o.chat.ID.Kind == persona.Group {
		lines = append(lines, o.text("重置反馈：不再因为这里以前的反应多说或少说", "reset feedback: forget how people here took what I said"))
	}
	if o.chat.ID.Kind != persona.Private {
		lines = append(lines, o.text("在群里先 @ 我，或者先叫我的名字。", "In a group mention me first, or begin with my name."))
	}
	return strings.Join(lines, "\n")
}

// status describes the state in this chat. For an owner in private it adds the state of the whole bot.
func (c *Commands) status(now time.Time, o order) string {
	chat := o.chat.ID
	state := c.engine.Attention.State(now, chat).String()
	energy := int(100 * c.engine.Attention.Energy(now, chat))
	s := o.text(fmt.Sprintf("在这里：%s，精力 %d%%", stateName(state), energy), fmt.Sprintf("Here: %s, energy %d%%", state, energy))
	if h := c.presence.Quiet(chat); h.Until.After(now) {
		until := h.Until.In(c.engine.Options.Location).Format(clockFormat)
		s += o.text("，安静到 "+until, ", quiet until "+until)
	}
	s += o.text("。", ".") + c.welcome(now, o)
	if chat.Kind != persona.Private || !c.engine.Router.IsOwner(o.by) {
		return s
	}
	all := c.o.Stats()
	budget := c.engine.Options.Attention.Budget.State(now)
	cached := ""
	if share, _ := c.engine.CacheShare(); share > 0 {
		cached = o.text(fmt.Sprintf("（提示词 %.0f%% 走缓存）", 100*share), fmt.Sprintf(" (%.0f%% of the prompts cached)", 100*share))
	}
	level, day := budget.Level, budget.Usage.DayTokens
	return s + o.text(
		fmt.Sprintf("启动以来听到 %d 条，说了 %d 句，调用模型 %d 次，约 %d token%s，24 小时内 %d token，预算 %s，申请 %d 个，留给主人 %d 个。", all.Received, all.Sent, all.ModelCalls, all.Tokens, cached, day, levelName(level), all.Requests, all.RequestsEscalated),
		fmt.Sprintf(" Since the start: %d heard, %d said, %d model calls, about %d tokens%s, %d in the last 24 hours, budget %s, %d requests, %d left to you.", all.Received, all.Sent, all.ModelCalls, all.Tokens, cached, day, level, all.Requests, all.RequestsEscalated)) + c.purposes(o.English) + c.modelState(o.English) + c.health(now, o, budget)
}

// health returns the state of the links, and what the budget restricts.
func (c *Commands) health(now time.Time, o order, budget heartflow.BudgetState) (text string) {
	w := health.Writer{English: o.English, Now: now, Location: c.engine.Options.Location}
	var links []trace.LinkHealth
	if c.o.Links != nil {
		links = c.o.Links()
	}
	for _, h := range links {
		text += o.text("连接：", " Link: ") + w.Link(h) + o.text("。", ".")
	}
	if budget.Level != heartflow.LevelFull {
		text += o.text("", " ") + w.Budget(budget) + o.text("。", ".")
	}
	return text
}

// welcome says how people take what the bot says, or "" if nothing much is known.
func (c *Commands) welcome(now time.Time, o order) string {
	if c.o.Welcome == nil {
		return ""
	}
	w := int(math.Round(100 * c.o.Welcome(now, o.chat.ID)))
	if -5 < w && w < 5 {
		return ""
	}
	return o.text(fmt.Sprintf("看大家的反应，我主动插话的机会 %+d%%。", w), fmt.Sprintf(" By how people took it, I join in %+d%%.", w))
}

// purposes returns the calls and tokens by purpose, or "" if no model was called.
func (c *Commands) purposes(english bool) string {
	var parts []string
	usage := c.engine.Models.Usage()
	for _, p := range slices.Sorted(maps.Keys(usage)) {
		name := string(p)
		if !english {
			name = cmp.Or(purposeNames[p], name)
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d", name, usage[p].Calls, usage[p].Total()))
	}
	switch {
	case len(parts) == 0:
		return ""
	case english:
		return " Calls/tokens by purpose: " + strings.Join(parts, ", ") + "."
	}
	return "按用途（次数/token）：" + strings.Join(parts, "，") + "。"
}

var purposeNames = map[models.Purpose]string{
	models.PurposeJudge: "判断", models.PurposePlan: "计划", models.PurposeReply: "回复", models.PurposeBackground: "后台", models.PurposeSee: "看图", models.PurposeHear: "听", models.PurposeSpeak: "说",
}

func (c *Commands) modelState(english bool) string {
	if c.o.ModelState == nil {
		return ""
	}
	return c.o.ModelState(english)
}

// levelName returns the Chinese name of a level of the budget.
func levelName(l heartflow.Level) string {
	switch l {
	case heartflow.LevelFull:
		return "够用"
	case heartflow.LevelOff:
		return "用完了"
	}
	return "快用完了"
}

func stateName(state string) string {
	switch state {
	case "observing":
		return "潜水"
	case "summoned":
		return "被叫到"
	case "active":
		return "活跃"
	}
	return "离线"
}
