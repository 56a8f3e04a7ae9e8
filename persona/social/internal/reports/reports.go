// Package reports notifies the owner of important events in chats.
package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Options configure Reports. They are documented in package social as BuiltinTools.
type Options struct {
	Reports self.QueueOptions
	Watch   *self.WatchOptions
	Notes   bool
}

// Check validates the options. notify says whether the bot has a way to reach the owner.
func (o Options) Check(notify bool) error {
	if _, err := self.NewQueue(o.Reports); err != nil {
		return fmt.Errorf("social: Options.Tools.Builtin.Reports: %w", err)
	}
	if o.Watch == nil {
		return nil
	}
	if !notify {
		return errors.New("social: Options.Tools.Builtin.Watch needs Access.Owners or Hooks.Notify")
	}
	_, err := self.NewWatch(*o.Watch)
	return err
}

// Reports notify the owner of important events in chats. Every turn has a tool for it. A message that needs no reply
// but may matter to the owner gets a report-only turn.
type Reports struct {
	engine *engine.Engine
	o      Options
	watch  *self.Watch // nil: off
	queue  atomic.Pointer[self.Reports]
	passed map[string]bool // ids of reports that the Messenger has; used by deliver alone
}

// New returns the Reports of an engine.
func New(e *engine.Engine, o Options) (*Reports, error) {
	p := &Reports{engine: e, o: o, passed: map[string]bool{}}
	if o.Watch == nil {
		return p, nil
	}
	w := *o.Watch
	if w.Owners == nil {
		w.Owners = slices.Clone(e.Options.Owners)
	}
	var err error
	p.watch, err = self.NewWatch(w)
	return p, err
}

// Off returns the part for an engine without Reports. It erases pending reports of earlier runs.
func Off(e *engine.Engine) engine.Part { return engine.Part{Erase: (&Reports{engine: e}).erase} }

// Part returns the callbacks for the engine.
func (p *Reports) Part() engine.Part {
	return engine.Part{Tools: p.tools, Run: p.run, Reason: p.reason, Silent: p.silent, Erase: p.erase, Due: p.due}
}

// tools adds notify_master and loads undelivered reports.
func (p *Reports) tools(ctx context.Context, with *self.Options) error {
	if p.engine.Options.Notify == nil && p.engine.Options.Messenger == nil {
		return nil
	}
	queue, err := self.NewReports(ctx, p.engine.Options.Store, p.deliver, self.ReportOptions{
		Queue: p.o.Reports, Logger: p.engine.Log, Complete: complete,
	})
	if err != nil {
		return err
	}
	p.queue.Store(queue)
	with.Reports = queue
	return nil
}

// complete adds what the turn of a call knows to its report.
func complete(ctx context.Context, r *self.Report) {
	t := engine.TurnFrom(ctx)
	r.Sources, r.Label = t.Sources(), t.Label().String()
	if t != nil {
		r.ChatName = t.Chat.Name()
		if t.Caller.From == r.Person {
			r.Name = t.Caller.Name
		}
	}
}

func (p *Reports) due(context.Context, time.Time) (d engine.Due, _ error) {
	if queue := p.queue.Load(); queue != nil {
		d = engine.DueAt(queue.Next())
	}
	return d, nil
}

func (p *Reports) run(ctx context.Context) error {
	if queue := p.queue.Load(); queue != nil {
		return queue.Run(ctx)
	}
	return nil
}

// deliver passes a report to the Messenger and to Options.Notify, and stores it in the owner's conversation. The record
// is untrusted, because people in the chat caused it. After a failure of Notify the report is tried again, and the
// Messenger does not get it a second time.
func (p *Reports) deliver(ctx context.Context, r self.Report) error {
	text := r.Text(p.engine.Options.Location)
	chat, err := persona.ParseSource(r.Platform, r.Session)
	l := memory.Untrusted(memory.Owner)
	if err == nil {
		l = memory.Untrusted(memory.Owner, memory.Space(chat.String()))
	}
	if p.engine.Options.Messenger != nil && !p.passed[r.ID] {
		if err := p.engine.Options.Messenger.Add(ctx, engine.Notice{Text: text, Chat: chat, Person: r.Person, Label: sourceLabel(r), Urgent: r.Urgency == self.High}); err != nil {
			return err
		}
		p.passed[r.ID] = true
	}
	if p.engine.Options.Notify != nil {
		if err := p.engine.Options.Notify(ctx, text); err != nil {
			return err
		}
	}
	delete(p.passed, r.ID)
	m := p.engine.NewOwnerMessage(time.Now(), text)
	m.ID, m.From, m.Name, m.Own = engine.ReportID+strings.TrimPrefix(r.ID, engine.ReportID), p.engine.SelfID(), p.engine.Options.Profile.Name, true
	if err := p.engine.PutOwnerMessage(ctx, m, p.engine.Options.Labels.LabelOf(engine.DatumReport, l), r.Sources...); err != nil {
		p.engine.Log.Error("could not store a report in the owner's conversation", "err", err)
	}
	return nil
}

// sourceLabel returns the label of the turn that made a report; zero if it is unknown.
func sourceLabel(r self.Report) (l memory.Label) {
	if l.UnmarshalText([]byte(r.Label)) != nil {
		return memory.OwnerOnly()
	}
	return l
}

// erase removes pending reports about erased chats and people.
func (p *Reports) erase(ctx context.Context, f memory.Erasure, _ map[string][]byte) error {
	reports := p.queue.Load()
	if reports == nil { // off now, but earlier runs may have left reports
		var err error
		if reports, err = self.NewReports(ctx, p.engine.Options.Store, p.deliver, self.ReportOptions{}); err != nil {
			return err
		}
	}
	match := func(r self.Report) bool {
		chat, err := persona.ParseSource(r.Platform, r.Session)
		return err == nil && slices.Contains(f.Spaces, memory.Space(chat.String())) || f.Person != "" && (r.Person == f.Person || strings.Contains(r.Content, f.Person))
	}
	if !slices.ContainsFunc(reports.Pending(), match) {
		return nil
	}
	return reports.Remove(ctx, match)
}

// reason returns a reason to report a message to the owner; "" if there is none.
func (p *Reports) reason(now time.Time, m persona.Message) self.Reason {
	if p.watch == nil {
		return ""
	}
	why, _ := p.watch.Check(now, self.Message{
		Chat: m.Chat.String(), From: persona.Account{Platform: m.Chat.Platform, ID: m.From}, Text: m.Text, Mentions: m.Mentions, Own: m.Own, Bot: m.Bot,
		OwnerPresent: p.engine.Router.OwnerInChat(now, m.Chat), // with the app open the owner wants to know, too
	})
	return why
}

// reportRules replace the prompt's rules for speaking.
const reportRules = `1. 现在没有人叫你，你不在这个会话里说话：写什么都不会发出去。
2. <recent_messages> 里好像有主人该知道的事（%s）。真的值得告诉主人，就用 notify_master 说清楚是谁、什么事；不值得，或者只是提到、开玩笑，就什么也不做。
3. 最后只回复 [skip]。`

// silent turns a batch that was judged silent into a report-only turn if a message has a reason to be reported. It
// makes no model call if the bot is offline or most of the budget is spent.
func (p *Reports) silent(j *engine.Job, items []engine.Incoming) (run bool) {
	var why self.Reason
	for _, m := range items {
		why = cmp.Or(why, m.Reason)
	}
	if why == "" || j.Verdict.State == heartflow.Offline || p.engine.OverBudget(j.Chat) {
		return false
	}
	zh, _ := why.Text()
	j.Reason, j.Rules = why, fmt.Sprintf(reportRules, zh)
	for _, m := range items {
		j.Items = append(j.Items, m.Message)
		if m.Reason == why {
			j.Caller = m.Message
		}
	}
	j.AllowTool = func(tool nit.ToolInfo) bool { return tool.ReadOnly || tool.Name == "notify_master" }
	j.Ask = func(ctx context.Context, t *engine.Turn) (engine.Answer, error) {
		p.engine.Counters.Reporting.Add(1)
		_, err := t.RunPrompt(ctx, prompt.SingleCall, engine.Reasoning{})
		return engine.Answer{}, err
	}
	j.After = nil
	j.Deliver = func(ctx context.Context, t *engine.Turn, _ *engine.Answer, err error) (string, error) {
		p.engine.Done(ctx, t.Chat, engine.Done{Verdict: heartflow.Silent})
		switch {
		case err != nil && t.CancelCause() == nil && (ctx.Err() == nil || t.IsDurable()):
			p.engine.Counters.ModelFailed.Add(1)
			p.engine.Log.Error("a report-only turn failed", "chat", t.Chat.ID, "err", err)
			return "error: " + err.Error(), err
		case t.IsDurable():
			return "reported", err
		}
		return "silent", err
	}
	return true
}
