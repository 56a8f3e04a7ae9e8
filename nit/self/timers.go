package self

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// Timers keep timers, and bound how many there may be: the tools do not. nit.PrincipalFrom says whose turn sets one, which
// is its Maker: what it wakes runs as that and no more, but for those of tools, which the model says it will need, that a human
// allows when asked. The errors of Set are those of [persona.Timers], wrapped or not:
// [persona.ErrSpec] for a spec that it cannot read, [persona.ErrPast] for one that lies in the past, [persona.ErrTooMany]
// where there is no room.
type Timers interface {
	Set(ctx context.Context, spec, payload string, tools []string) (schedule.Timer, error)
	List(ctx context.Context) ([]schedule.Timer, error)
	Cancel(ctx context.Context, id string) error
}

type timerIn struct {
	When    string `json:"when" jsonschema:"什么时候：30s、5min、2h、1d 是多久以后；once:2026-04-10 09:00 是那个时刻；cron:0 8 * * * 是按 cron 重复"`
	Content string `json:"content" jsonschema:"到时候要想起什么"`
	needs
}

type timerOut struct {
	ID      string   `json:"id"`
	When    string   `json:"when"`
	Next    string   `json:"next,omitempty"`
	Content string   `json:"content,omitempty"`
	Session string   `json:"session,omitempty"` // where it was set, for the agent
	Tools   []string `json:"tools,omitempty"`   // that a human allowed
}

func (k *kit) setTimer() (nit.Tool, error) {
	return nit.Define("set_timer", nit.L1, "设一个定时器，到时间你会醒来。", k.set,
		shown(awake, nit.DescribeIn(nit.ModePersona, "设一个定时器，到时间你会在这个会话里想起来。"),
			characters("when", 1, 100), characters("content", 1, maxPart), someTools, mayAsk)...)
}

func (k *kit) set(ctx context.Context, in timerIn) (timerOut, error) {
	t, err := k.o.Timers.Set(ctx, strings.TrimSpace(plain(in.When)), clean(in.Content), in.Tools)
	switch {
	case errors.Is(err, schedule.ErrTimerSpec), errors.Is(err, schedule.ErrPast):
		err = errors.Join(nit.ModelError("when 写 30s、5min、2h、1d，或 once:2026-04-10 09:00（还没到的时刻），或 cron:0 8 * * *"), err)
	case errors.Is(err, schedule.ErrTooMany):
		err = errors.Join(nit.ModelError("定时器太多了，先取消一些"), err)
	}
	return timerOut{ID: t.ID, When: t.Spec, Next: k.time(t.Next), Tools: t.Allowed.Tools}, err
}

func (k *kit) listTimers() (nit.Tool, error) {
	return nit.Define("list_timers", nit.L1, "列出定时器。在别的会话里设的，只列出时间。", k.list,
		shown(awake, nit.ReadOnly(), nit.DescribeIn(nit.ModePersona, "列出在这个会话里设的定时器。"), nit.DescribeIn(ModeAutonomous, "列出在这个会话里设的定时器。"))...)
}

const maxListed = 3200 // characters

// list gives the timers that the turn may touch, the next one first. What was written in a chat is shown there alone: the agent, which acts on the owner's
// computer, sees that there is something, and no stranger's words.
func (k *kit) list(ctx context.Context, _ struct{}) ([]timerOut, error) {
	all, err := k.o.Timers.List(ctx)
	if err != nil {
		return nil, err
	}
	p := who(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(t schedule.Timer) bool { return !mayTouch(p, t.Origin) })
	slices.SortStableFunc(all, func(a, b schedule.Timer) int { return a.Next.Compare(b.Next) })
	out, room := []timerOut{}, maxListed
	for _, t := range all {
		o := timerOut{ID: t.ID, When: t.Spec, Next: k.time(t.Next), Content: clip.Ellipsis(t.Payload, 120)}
		if (p.Mode == nit.ModeAgent || p.Session == persona.OwnerSession) && t.Origin.Mode != persona.Agent {
			o.Content = "" // strangers' words, perhaps
		}
		if homeOf(t.Origin) != home(p) {
			o.When, o.Session = "", plain(t.Origin.Chat.SourceID())
		}
		if room -= 2*len([]rune(o.Content)) + len(o.When) + len(o.ID) + len(o.Session) + 80; room < 0 {
			break
		}
		out = append(out, o)
	}
	return out, nil
}

func (k *kit) cancelTimer() (nit.Tool, error) {
	return nit.Define("cancel_timer", nit.L1, "取消一个定时器。", k.cancel, shown(awake, nit.EditSchema(capID))...)
}

func (k *kit) cancel(ctx context.Context, in idIn) (string, error) {
	all, err := k.o.Timers.List(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(all, func(t schedule.Timer) bool { return t.ID == string(in.ID) && mayTouch(who(ctx), t.Origin) }) {
		return "", errNoID
	}
	return "已取消", k.o.Timers.Cancel(ctx, string(in.ID))
}

// time is how a model is told when something is.
func (k *kit) time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(k.o.Location).Format("2006-01-02 15:04:05")
}
