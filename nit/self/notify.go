package self

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type notifyIn struct {
	Content string  `json:"content" jsonschema:"要告诉主人的话：谁，在哪里，什么事，一两句话说清楚"`
	Urgency Urgency `json:"urgency,omitempty" jsonschema:"有多急"`
}

const maxReport = 500 // in characters

func (k *toolset) notifyMaster() (nit.Tool, error) {
	return nit.Define("notify_master", nit.L1, "悄悄告诉主人一件事，主人在自己的设备上看得到，聊天里的人看不到。只在这些时候用：有人明确在找主人；有紧急或重大的事；主人特别关注的人来说话了；或者你觉得这件事对主人真的有用。平常的闲聊不用汇报，同一件事也不用说第二遍。", k.notify,
		toolOptions([]string{nit.ModePersona}, textLength("content", 1, maxReport), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["urgency"].Enum = []any{string(Low), string(Normal), string(High)}
			s.Properties["urgency"].Default = []byte(`"normal"`)
		}))...)
}

// notify submits a report.
func (k *toolset) notify(ctx context.Context, in notifyIn) (string, error) {
	p := principal(ctx)
	content := strings.TrimSpace(cleanText(in.Content))
	if content == "" {
		return "", nit.ModelError("内容是空的，没有告诉主人")
	}
	r := Report{Content: content, Urgency: in.Urgency, Reason: ReasonFrom(ctx), Platform: p.Platform, Session: persona.SessionSource(p.Session), Person: p.Person}
	r.Urgency = cmp.Or(r.Urgency, Normal)
	outcome, err := k.o.Reports.Submit(ctx, time.Now(), r)
	switch {
	case err != nil:
		return "", err
	case outcome == QueueFull:
		return "", nit.ModelError("要告诉主人的事太多了，这件先不说")
	case outcome == Deduplicated:
		return "这件事已经告诉过主人了", nil
	}
	return "会转告主人", nil
}

type reasonKey struct{}

// WithReason sets the reason for the reports of the turn in ctx.
func WithReason(ctx context.Context, r Reason) context.Context {
	return context.WithValue(ctx, reasonKey{}, r)
}

// ReasonFrom returns the reason that WithReason set, or [ModelDecision].
func ReasonFrom(ctx context.Context) Reason {
	if r, ok := ctx.Value(reasonKey{}).(Reason); ok {
		return r
	}
	return ModelDecision
}
