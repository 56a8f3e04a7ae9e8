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

// Timers stores timers and limits their number. nit.PrincipalFrom returns the turn that sets a timer. The turn becomes
// the Origin of the timer, and the timer runs with its rights. tools are additional tools that the model requests. Ask
// a human for approval of them.
//
// Set returns an error that matches [schedule.ErrTimerSpec] for an invalid spec, [schedule.ErrPast] for a time in the
// past, and [schedule.ErrTooMany] at the limit.
type Timers interface {
	Set(ctx context.Context, spec, payload string, tools []string) (schedule.Timer, error)
	List(ctx context.Context) ([]schedule.Timer, error)
	Cancel(ctx context.Context, id string) error
}

type timerIn struct {
	When    string `json:"when" jsonschema:"什么时候：30s、5min、2h、1d 是多久以后；once:2026-04-10 09:00 是那个时刻；cron:0 8 * * * 是按 cron 重复"`
	Content string `json:"content" jsonschema:"到时候要想起什么"`
	requestedTools
}

type timerOut struct {
	ID      string   `json:"id"`
	When    string   `json:"when"`
	Next    string   `json:"next,omitempty"`
	Content string   `json:"content,omitempty"`
	Session string   `json:"session,omitempty"` // the session that set it; only for the agent
	Tools   []string `json:"tools,omitempty"`   // approved by a human
	Note    string   `json:"note,omitempty"`    // warning about fewer rights
}

func (k *toolset) setTimer() (nit.Tool, error) {
	return nit.Define("set_timer", nit.L1, "设一个定时器，到时间你会醒来。", k.set,
		toolOptions(wakeModes, nit.DescribeIn(nit.ModePersona, "设一个定时器，到时间你会在这个会话里想起来。"),
			textLength("when", 1, 100), textLength("content", 1, maxPart), limitTools, noTimeout)...)
}

func (k *toolset) set(ctx context.Context, in timerIn) (timerOut, error) {
	t, err := k.o.Timers.Set(ctx, strings.TrimSpace(cleanLine(in.When)), cleanText(in.Content), in.Tools)
	switch {
	case errors.Is(err, schedule.ErrTimerSpec), errors.Is(err, schedule.ErrPast):
		err = errors.Join(nit.ModelError("when 写 30s、5min、2h、1d，或 once:2026-04-10 09:00（还没到的时刻），或 cron:0 8 * * *"), err)
	case errors.Is(err, schedule.ErrTooMany):
		err = errors.Join(nit.ModelError("定时器太多了，先取消一些"), err)
	}
	out := timerOut{ID: t.ID, When: t.Spec, Next: k.time(t.Next), Tools: t.Allowed.Tools}
	if t.Origin.Mode == persona.Agent && t.Origin.Restricted && len(out.Tools) == 0 {
		out.Note = restrictedNote
	}
	return out, err
}

func (k *toolset) listTimers() (nit.Tool, error) {
	return nit.Define("list_timers", nit.L1, "列出定时器。在别的会话里设的，只列出时间。", k.list,
		toolOptions(wakeModes, nit.ReadOnly(), nit.DescribeIn(nit.ModePersona, "列出在这个会话里设的定时器。"), nit.DescribeIn(ModeAutonomous, "列出在这个会话里设的定时器。"))...)
}

const maxListed = 3200 // in characters

// list returns the timers that the turn may access, next first. A text is shown only in the chat that wrote it. The
// agent acts on the owner's computer. It sees that a timer exists, but no untrusted text.
func (k *toolset) list(ctx context.Context, _ struct{}) ([]timerOut, error) {
	all, err := k.o.Timers.List(ctx)
	if err != nil {
		return nil, err
	}
	p := principal(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(t schedule.Timer) bool { return !canAccess(p, t.Origin) })
	slices.SortStableFunc(all, func(a, b schedule.Timer) int { return a.Next.Compare(b.Next) })
	out, room := []timerOut{}, maxListed
	for _, t := range all {
		o := timerOut{ID: t.ID, When: t.Spec, Next: k.time(t.Next), Content: clip.Ellipsis(t.Payload, 120)}
		if (p.Mode == nit.ModeAgent || p.Session == persona.OwnerSession) && t.Origin.Mode != persona.Agent {
			o.Content = "" // possibly written by untrusted people
		}
		if originChatKey(t.Origin) != chatKey(p) {
			o.When, o.Session = "", cleanLine(t.Origin.Chat.SourceID())
		}
		if room -= 2*len([]rune(o.Content)) + len(o.When) + len(o.ID) + len(o.Session) + 80; room < 0 {
			break
		}
		out = append(out, o)
	}
	return out, nil
}

func (k *toolset) cancelTimer() (nit.Tool, error) {
	return nit.Define("cancel_timer", nit.L1, "取消一个定时器。", k.cancel, toolOptions(wakeModes, nit.EditSchema(describeID))...)
}

func (k *toolset) cancel(ctx context.Context, in idIn) (string, error) {
	all, err := k.o.Timers.List(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(all, func(t schedule.Timer) bool { return t.ID == string(in.ID) && canAccess(principal(ctx), t.Origin) }) {
		return "", errNoID
	}
	return "已取消", k.o.Timers.Cancel(ctx, string(in.ID))
}

// time formats a time for the model.
func (k *toolset) time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(k.o.Location).Format("2006-01-02 15:04:05")
}
