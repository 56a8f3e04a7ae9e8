package engine

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
)

// OwnTools are documented in package social.
type OwnTools struct {
	Reports self.QueueOptions
	Watch   *self.WatchOptions
	Notes   bool
}

func (o *OwnTools) check(notify bool) error {
	if o == nil {
		return nil
	}
	if _, err := self.NewQueue(o.Reports); err != nil {
		return fmt.Errorf("social: Options.Own.Reports: %w", err)
	}
	if o.Watch == nil {
		return nil
	}
	if !notify {
		return errors.New("social: Options.Own.Watch without Notify: there is no way to the owner")
	}
	_, err := self.NewWatch(*o.Watch)
	return err
}

// own is what comes of Options.Own.
type own struct {
	watch   *self.Watch // nil: none
	reports atomic.Pointer[self.Reports]
}

func (b *Engine) newOwn() (err error) {
	o := b.Options.Own
	if o == nil || o.Watch == nil {
		return nil
	}
	w := *o.Watch
	if w.Owners == nil {
		for _, a := range b.Options.Owners {
			w.Owners = append(w.Owners, self.Account(a))
		}
	}
	b.own.watch, err = self.NewWatch(w)
	return err
}

// ownTools adds the tools of reports and notes. Reports that were not delivered are taken up.
func (b *Engine) ownTools(ctx context.Context, with *self.Options) error {
	if b.Options.Notify == nil {
		return nil
	}
	reports, err := self.NewReports(ctx, b.Options.Store, b.deliver, &self.ReportOptions{Queue: b.Options.Own.Reports, Logger: b.Log})
	if err != nil {
		return err
	}
	b.own.reports.Store(reports)
	with.Reports = reports
	return nil
}

// deliver brings a report to the owner: to people, never to a model.
func (b *Engine) deliver(ctx context.Context, r self.Report) error {
	return b.Options.Notify(ctx, r.Text(b.Options.Location))
}

// forgetReports takes out what waits for the owner and tells of what is forgotten.
func (b *Engine) forgetReports(ctx context.Context, f memory.Forgotten) error {
	reports := b.own.reports.Load()
	if reports == nil { // the being does not run, but did
		var err error
		if reports, err = self.NewReports(ctx, b.Options.Store, b.deliver, nil); err != nil {
			return err
		}
	}
	gone := func(r self.Report) bool {
		chat, err := persona.ParseSource(r.Platform, r.Session)
		return err == nil && slices.Contains(f.Spaces, memory.Space(chat.String())) || f.Person != "" && (r.Person == f.Person || strings.Contains(r.Content, f.Person))
	}
	if !slices.ContainsFunc(reports.Pending(), gone) {
		return nil
	}
	return reports.Forget(ctx, gone)
}

// deserves says why the owner should perhaps be told of a message; "" for no reason.
func (b *Engine) deserves(now time.Time, m persona.Message) self.Reason {
	if b.own.watch == nil {
		return ""
	}
	why, _ := b.own.watch.Hear(now, self.Heard{
		Chat: m.Chat.String(), From: self.Account{Platform: m.Chat.Platform, ID: m.From}, Text: m.Text, Mentions: m.Mentions, Own: m.Own, Bot: m.Bot,
		Present: b.Router.MasterPresent(now, m.Chat),
	})
	return why
}

// reportable says why a batch that is answered with silence asks for a turn that reports. Where the bot is offline, or most
// of the budget is spent, no model is asked.
func (b *Engine) reportable(r *Chat, v heartflow.Verdict, items []Incoming) (why self.Reason) {
	for _, m := range items {
		why = cmp.Or(why, m.Reason)
	}
	if why == "" || v.State == heartflow.Offline || b.OverBudget(r) {
		return ""
	}
	return why
}

// reportRules stand in for the rules of when to speak.
const reportRules = `1. 现在没有人叫你，你不在这个会话里说话：写什么都不会发出去。
2. <recent_messages> 里好像有主人该知道的事（%s）。真的值得告诉主人，就用 notify_master 说清楚是谁、什么事；不值得，或者只是提到、开玩笑，就什么也不做。
3. 最后只回复 [skip]。`

// reportOn makes the job a turn that can report, and nothing else.
func (j *Job) reportOn(items []Incoming, why self.Reason) bool {
	if why == "" {
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
	j.May = func(tool nit.Info) bool { return tool.ReadOnly || tool.Name == "notify_master" }
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) {
		t.Engine.Counters.Reporting.Add(1)
		_, err := t.Part(ctx, persona.Whole, Mind{})
		return Answer{}, err
	}
	j.After = nil
	j.Deliver = func(ctx context.Context, t *Turn, _ *Answer, err error) (string, error) {
		t.Engine.Done(ctx, t.Chat, Done{Verdict: heartflow.Silent})
		switch {
		case err != nil && t.Lost() == nil && (ctx.Err() == nil || t.IsDurable()):
			t.Engine.Counters.ModelFailed.Add(1)
			t.Engine.Log.Error("a turn that reports failed", "chat", t.Chat.ID, "err", err)
			return "error: " + err.Error(), err
		case t.IsDurable():
			return "reported", err
		}
		return "silent", err
	}
	return true
}
