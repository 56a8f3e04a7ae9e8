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
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A Schedule stores tasks and limits their number. nit.PrincipalFrom returns the turn that adds a task. The turn
// becomes the Origin of the task, and the task runs with its rights. tools are additional tools that the model
// requests. Ask a human for approval of them. Errors made with nit.ModelError are shown to the model.
type Schedule interface {
	Add(ctx context.Context, t schedule.Task, tools []string) (schedule.Task, error) // returns an error that matches [schedule.ErrTooMany] at the limit
	List(ctx context.Context) ([]schedule.Task, error)                               // open tasks; only ID and Origin are used
	Cancel(ctx context.Context, id string) error
	// Reschedule plans a missed task again, with the same texts and at most the same rights. The calling turn must be
	// the one that reports this task as missed. For any other id it returns an error that matches [schedule.ErrNotFound].
	Reschedule(ctx context.Context, id string, at, outdatedAt time.Time) (schedule.Task, error)
}

// requestedTools are the tools that a planned action will need.
type requestedTools struct {
	Tools []string `json:"tools,omitempty" jsonschema:"到时候要用的工具的名字；只有主人交代的事用得着"`
}

// limitTools limits the length of this list.
var limitTools = nit.EditSchema(func(s *jsonschema.Schema) {
	most, long := 8, 64
	s.Properties["tools"].MaxItems, s.Properties["tools"].Items.MaxLength = &most, &long
})

// noTimeout disables the timeout of a tool. The tool may wait for a human, and the approval has its own timeout.
var noTimeout = nit.Timeout(-1)

// A NotifyFunc shows a notice on the owner's device.
type NotifyFunc func(ctx context.Context, title, text string) error

type scheduleIn struct {
	Delay    int     `json:"delay_seconds" jsonschema:"多少秒以后"`
	Outdated int     `json:"outdated_seconds,omitempty" jsonschema:"多少秒以后就不用做了，要比 delay_seconds 大；留空就是一直有效"`
	Priority int     `json:"priority,omitempty" jsonschema:"同时到点的事，数字大的先做；留空是 0"`
	Content  content `json:"content" jsonschema:"要做的事"`
	requestedTools
}

type rescheduleIn struct {
	ID       nit.ID `json:"id" jsonschema:"没赶上的那件事的 id"`
	Delay    int    `json:"delay_seconds" jsonschema:"多少秒以后"`
	Outdated int    `json:"outdated_seconds,omitempty" jsonschema:"多少秒以后就不用做了，要比 delay_seconds 大；留空就是一直有效"`
}

type content struct {
	Title      string `json:"title" jsonschema:"标题"`
	Motivation string `json:"motivation,omitempty" jsonschema:"为什么想做"`
	Plan       string `json:"plan,omitempty" jsonschema:"打算怎么做"`
	Expected   string `json:"expected_outcome,omitempty" jsonschema:"希望有什么结果"`
}

type planOut struct {
	ID    string   `json:"id"`
	Tools []string `json:"tools,omitempty"` // approved by a human
	Note  string   `json:"note,omitempty"`  // warning about fewer rights
}

type idIn struct {
	ID nit.ID `json:"id" jsonschema:"它的 id"`
}

const (
	maxSeconds  = 366 * 24 * 3600
	maxPart     = 500 // in characters
	maxPriority = 9
)

func limitSeconds(s *jsonschema.Schema) {
	least, most := 1.0, float64(maxSeconds)
	for _, name := range []string{"delay_seconds", "outdated_seconds"} {
		s.Properties[name].Minimum, s.Properties[name].Maximum = &least, &most
	}
}

func (k *toolset) addSchedule() (nit.Tool, error) {
	return nit.Define("add_schedule", nit.L1, "计划一件将来要做的事，到时候你会想起来。", k.addTask,
		toolOptions(allModes,
			nit.DescribeIn(nit.ModePersona, "计划一件将来在这个会话里要做的事，到时候你会想起来。"),
			nit.EditSchema(func(s *jsonschema.Schema) {
				limitSeconds(s)
				part := maxPart
				s.Properties["priority"].Minimum, s.Properties["priority"].Maximum = new(-float64(maxPriority)), new(float64(maxPriority))
				for _, p := range s.Properties["content"].Properties {
					p.MaxLength = &part
				}
				s.Properties["content"].Properties["title"].MinLength = new(1)
			}), limitTools, noTimeout)...)
}

func (k *toolset) addTask(ctx context.Context, in scheduleIn) (planOut, error) {
	if in.Outdated != 0 && in.Outdated <= in.Delay {
		return planOut{}, nit.ModelError("outdated_seconds 要比 delay_seconds 大")
	}
	title := strings.TrimSpace(cleanLine(in.Content.Title))
	if title == "" {
		return planOut{}, nit.ModelError("title 是空的，没有计划")
	}
	now := time.Now()
	t := schedule.Task{
		Priority: in.Priority, Title: title, Motivation: cleanText(in.Content.Motivation), Plan: cleanText(in.Content.Plan),
		ExpectedOutcome: cleanText(in.Content.Expected), ScheduledAt: now.Add(time.Duration(in.Delay) * time.Second),
	}
	t.OutdatedAt = after(now, in.Outdated)
	t, err := k.o.Schedule.Add(ctx, t, in.Tools)
	if errors.Is(err, schedule.ErrTooMany) {
		err = errors.Join(nit.ModelError("计划的事太多了，先做完或删掉一些"), err)
	}
	return planned(t), err
}

// planned returns the answer for a new task.
func planned(t schedule.Task) planOut {
	out := planOut{ID: t.ID, Tools: t.Allowed.Tools}
	if t.Origin.Mode == persona.Agent && t.Origin.Restricted && len(out.Tools) == 0 {
		out.Note = restrictedNote
	}
	return out
}

// restrictedNote tells the model that a timer or task of the owner's side will have fewer rights.
const restrictedNote = "这是看过别人的话之后定的，或者是在后台定的：到时候只能跟主人说话、查资料和计划，不能在群里发消息，也不能动电脑。要能做这些，请主人直接再说一遍"

// after returns the time that many seconds after now, and the zero time for 0.
func after(now time.Time, seconds int) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return now.Add(time.Duration(seconds) * time.Second)
}

// reschedule is only for the background turn about a missed task.
func (k *toolset) reschedule() (nit.Tool, error) {
	return nit.Define("reschedule", nit.L1, "把一件没赶上的事原样改到以后：内容和权限都不变。", k.rescheduleTask,
		toolOptions([]string{ModeBackground}, nit.EditSchema(limitSeconds))...)
}

func (k *toolset) rescheduleTask(ctx context.Context, in rescheduleIn) (planOut, error) {
	if in.Outdated != 0 && in.Outdated <= in.Delay {
		return planOut{}, nit.ModelError("outdated_seconds 要比 delay_seconds 大")
	}
	now := time.Now()
	t, err := k.o.Schedule.Reschedule(ctx, string(in.ID), after(now, in.Delay), after(now, in.Outdated))
	if errors.Is(err, schedule.ErrTooMany) {
		err = errors.Join(nit.ModelError("改过太多次了，或者计划的事太多了"), err)
	}
	return planned(t), err
}

func (k *toolset) deleteSchedule() (nit.Tool, error) {
	return nit.Define("delete_schedule", nit.L1, "删掉一件计划好的事。", k.deleteTask, toolOptions(allModes, nit.EditSchema(describeID))...)
}

func describeID(s *jsonschema.Schema) {
	s.Properties["id"].Description = "add_schedule 或 set_timer 给的 id"
}

func (k *toolset) deleteTask(ctx context.Context, in idIn) (string, error) {
	all, err := k.o.Schedule.List(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(all, func(t schedule.Task) bool { return t.ID == string(in.ID) && canAccess(principal(ctx), t.Origin) }) {
		return "", errNoID
	}
	return "已删掉", k.o.Schedule.Cancel(ctx, string(in.ID))
}

// errNoID is the error for unknown ids and for ids that the turn must not access.
var errNoID = fmt.Errorf("self: %w", nit.ModelError("没有这个 id"))

type notificationIn struct {
	Title   string `json:"title,omitempty" jsonschema:"标题，可以不写"`
	Content string `json:"content" jsonschema:"提醒的内容"`
}

// addNotification is not available in persona mode. There notify_master is the only way to the owner.
func (k *toolset) addNotification() (nit.Tool, error) {
	return nit.Define("add_notification", nit.L1, "在主人的设备上弹出一条提醒。", k.showNotification,
		toolOptions([]string{nit.ModeAgent, ModeBackground}, textLength("title", 0, 60), textLength("content", 1, maxPart))...)
}

func (k *toolset) showNotification(ctx context.Context, in notificationIn) (string, error) {
	if !inOwnerSession(principal(ctx)) {
		return "", nit.ErrUnknownTool
	}
	text := strings.TrimSpace(cleanText(in.Content))
	if text == "" {
		return "", nit.ModelError("内容是空的，没有提醒")
	}
	return "已提醒", k.o.Notify(ctx, strings.TrimSpace(cleanLine(in.Title)), text)
}
