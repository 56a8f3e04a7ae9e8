package self

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A Schedule keeps tasks, and bounds how many there may be: the tool does not. nit.PrincipalFrom says whose turn adds one,
// which is its Maker: it runs as that and no more, but for those of tools, which the model says it will need, that a human
// allows when asked. An error that is made with nit.Tell is told to the model.
type Schedule interface {
	Add(ctx context.Context, t schedule.Task, tools []string) (schedule.Task, error) // [persona.ErrTooMany], wrapped or not, where there is no room
	List(ctx context.Context) ([]schedule.Task, error)                               // those that are still to come: ID and Maker count
	Cancel(ctx context.Context, id string) error
}

// needs are the tools that what is planned will need.
type needs struct {
	Tools []string `json:"tools,omitempty" jsonschema:"到时候要用的工具的名字；只有主人交代的事用得着"`
}

// someTools bounds them.
var someTools = nit.EditSchema(func(s *jsonschema.Schema) {
	most, long := 8, 64
	s.Properties["tools"].MaxItems, s.Properties["tools"].Items.MaxLength = &most, &long
})

// mayAsk lets a tool wait for a human, who is given a time of their own.
var mayAsk = nit.Timeout(-1)

// NotifyFunc shows the owner a notice on their own device.
type NotifyFunc func(ctx context.Context, title, text string) error

type scheduleIn struct {
	Delay    int     `json:"delay_seconds" jsonschema:"多少秒以后"`
	Outdated int     `json:"outdated_seconds,omitempty" jsonschema:"多少秒以后就不用做了，要比 delay_seconds 大；留空就是一直有效"`
	Content  content `json:"content" jsonschema:"要做的事"`
	needs
}

type content struct {
	Title      string `json:"title" jsonschema:"标题"`
	Motivation string `json:"motivation,omitempty" jsonschema:"为什么想做"`
	Plan       string `json:"plan,omitempty" jsonschema:"打算怎么做"`
	Expected   string `json:"expected_outcome,omitempty" jsonschema:"希望有什么结果"`
}

type planOut struct {
	ID    string   `json:"id"`
	Tools []string `json:"tools,omitempty"` // that a human allowed
}

type idIn struct {
	ID nit.ID `json:"id" jsonschema:"它的 id"`
}

const (
	maxSeconds = 366 * 24 * 3600
	maxPart    = 500 // characters
)

func (k *kit) addSchedule() (nit.Tool, error) {
	return nit.Define("add_schedule", nit.L1, "计划一件将来要做的事，到时候你会想起来。", k.plan,
		shown(always,
			nit.DescribeIn(nit.ModePersona, "计划一件将来在这个会话里要做的事，到时候你会想起来。"),
			nit.EditSchema(func(s *jsonschema.Schema) {
				least, most, part := 1.0, float64(maxSeconds), maxPart
				for _, name := range []string{"delay_seconds", "outdated_seconds"} {
					s.Properties[name].Minimum, s.Properties[name].Maximum = &least, &most
				}
				for _, p := range s.Properties["content"].Properties {
					p.MaxLength = &part
				}
				s.Properties["content"].Properties["title"].MinLength = new(1)
			}), someTools, mayAsk)...)
}

func (k *kit) plan(ctx context.Context, in scheduleIn) (planOut, error) {
	if in.Outdated != 0 && in.Outdated <= in.Delay {
		return planOut{}, nit.ModelError("outdated_seconds 要比 delay_seconds 大")
	}
	title := strings.TrimSpace(plain(in.Content.Title))
	if title == "" {
		return planOut{}, nit.ModelError("title 是空的，没有计划")
	}
	now := time.Now()
	t := schedule.Task{
		Title: title, Motivation: clean(in.Content.Motivation), Plan: clean(in.Content.Plan),
		ExpectedOutcome: clean(in.Content.Expected), ScheduledAt: now.Add(time.Duration(in.Delay) * time.Second),
	}
	if in.Outdated > 0 {
		t.OutdatedAt = now.Add(time.Duration(in.Outdated) * time.Second)
	}
	t, err := k.o.Schedule.Add(ctx, t, in.Tools)
	if errors.Is(err, schedule.ErrTooMany) {
		err = errors.Join(nit.ModelError("计划的事太多了，先做完或删掉一些"), err)
	}
	return planOut{t.ID, t.Allowed.Tools}, err
}

func (k *kit) deleteSchedule() (nit.Tool, error) {
	return nit.Define("delete_schedule", nit.L1, "删掉一件计划好的事。", k.unplan, shown(always, nit.EditSchema(capID))...)
}

func capID(s *jsonschema.Schema) {
	s.Properties["id"].Description = "add_schedule 或 set_timer 给的 id"
}

func (k *kit) unplan(ctx context.Context, in idIn) (string, error) {
	all, err := k.o.Schedule.List(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(all, func(t schedule.Task) bool { return t.ID == string(in.ID) && mayTouch(who(ctx), t.Origin) }) {
		return "", errNoID
	}
	return "已删掉", k.o.Schedule.Cancel(ctx, string(in.ID))
}

// errNoID is the answer to an id that is not there, and to one that is not the turn's to touch.
var errNoID = fmt.Errorf("self: %w", nit.ModelError("没有这个 id"))

type notificationIn struct {
	Title   string `json:"title,omitempty" jsonschema:"标题，可以不写"`
	Content string `json:"content" jsonschema:"提醒的内容"`
}

// addNotification is not for persona mode: there the one way to the owner is notify_master.
func (k *kit) addNotification() (nit.Tool, error) {
	return nit.Define("add_notification", nit.L1, "在主人的设备上弹出一条提醒。", k.remind,
		shown([]string{nit.ModeAgent, ModeBackground}, characters("title", 0, 60), characters("content", 1, maxPart))...)
}

func (k *kit) remind(ctx context.Context, in notificationIn) (string, error) {
	if !ofOwner(who(ctx)) {
		return "", nit.ErrUnknownTool
	}
	text := strings.TrimSpace(clean(in.Content))
	if text == "" {
		return "", nit.ModelError("内容是空的，没有提醒")
	}
	return "已提醒", k.o.Notify(ctx, strings.TrimSpace(plain(in.Title)), text)
}
