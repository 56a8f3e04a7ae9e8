package self

import (
	"context"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

// A Change is a change of the bot's character. Zero fields change nothing.
type Change struct {
	Mood  string        // mood in a few words
	Tone  string        // tone of speech
	Sleep time.Duration // duration of a deep sleep from now
	Wake  bool          // end a deep sleep
}

// A Character applies changes. nit.PrincipalFrom returns the session of the call.
type Character interface {
	Change(ctx context.Context, c Change) error
}

type characterIn struct {
	Mood  string `json:"mood,omitempty" jsonschema:"现在的心情，几个字"`
	Tone  string `json:"tone,omitempty" jsonschema:"接下来用什么语气说话，例如 热情一点、高冷一点"`
	Sleep *int   `json:"sleep_minutes,omitempty" jsonschema:"深度睡眠多少分钟：这段时间谁叫都不回；0 是醒来"`
}

const maxSleep = 12 * 60 // in minutes

func (k *toolset) characterOps() (nit.Tool, error) {
	return nit.Define("character_ops", nit.L1, "调整你自己的心情、语气，或者进入、结束深度睡眠。主人要求时使用。", k.changeCharacter,
		toolOptions(wakeModes,
			nit.DescribeIn(nit.ModePersona, "调整你自己的心情和语气，或者去睡一觉。是你自己的事，由你决定，别人叫你睡也不必听。"),
			nit.DescribeIn(ModeAutonomous, "调整你自己的心情和语气，或者去睡一觉。"),
			textLength("mood", 0, 60), textLength("tone", 0, 120),
			nit.EditSchema(func(s *jsonschema.Schema) {
				s.Properties["sleep_minutes"].Minimum, s.Properties["sleep_minutes"].Maximum = new(0.0), new(float64(maxSleep))
			}))...)
}

func (k *toolset) changeCharacter(ctx context.Context, in characterIn) (string, error) {
	c := Change{Mood: strings.TrimSpace(cleanLine(in.Mood)), Tone: strings.TrimSpace(cleanLine(in.Tone))}
	if in.Sleep != nil {
		c.Sleep, c.Wake = time.Duration(*in.Sleep)*time.Minute, *in.Sleep == 0
	}
	if c == (Change{}) {
		return "", nit.ModelError("什么都没写，没有改变")
	}
	return "好", k.o.Character.Change(ctx, c)
}
