package self

import (
	"context"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
)

// A NoteKind is how long a note lives.
type NoteKind string

const (
	Slot       NoteKind = "slot"    // stays until it is emptied
	Scratch    NoteKind = "scratch" // goes with its session
	InnerState NoteKind = "inner"   // the inner state: one text without a name, replaced as a whole
)

// A Note is a short text under a name.
type Note struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// Notes keep what a being writes down. nit.PrincipalFrom says in which session: what was written in one is read in no other. An
// error that is made with nit.Tell is told to the model.
type Notes interface {
	Read(ctx context.Context, kind NoteKind) ([]Note, error)
	Write(ctx context.Context, kind NoteKind, n Note) error // an empty text takes the note out
}

type noteIn struct {
	Name string `json:"name" jsonschema:"名字"`
	Text string `json:"text" jsonschema:"内容；空的就是删掉这一条"`
}

type innerIn struct {
	Text string `json:"text" jsonschema:"你此刻对自己、对身边的人和事的感受和理解，整段重写"`
}

const (
	maxNoteName = 60
	maxNote     = 2000 // characters
)

func (k *kit) note(name, description, persona string, kind NoteKind) (nit.Tool, error) {
	write := func(ctx context.Context, in noteIn) (string, error) {
		n := Note{Name: strings.TrimSpace(plain(in.Name)), Text: strings.TrimSpace(clean(in.Text))}
		if n.Name == "" {
			return "", nit.ModelError("name 是空的，没有记")
		}
		return "好", k.o.Notes.Write(ctx, kind, n)
	}
	return nit.Define(name, nit.L1, description, write,
		shown(awake, nit.DescribeIn(nit.ModePersona, persona), characters("name", 1, maxNoteName), characters("text", 0, maxNote))...)
}

func (k *kit) setSlot() (nit.Tool, error) {
	return k.note("set_slot", "长期记住一条要点，例如偏好、约定、关系。写同一个名字就是改写。",
		"长期记住这个会话里的一条要点，例如谁喜欢什么、约好了什么。写同一个名字就是改写。别的会话里看不到它。", Slot)
}

func (k *kit) setScratch() (nit.Tool, error) {
	return k.note("set_scratch", "在草稿里记一条手头的事，这次会话结束就没有了。写同一个名字就是改写。",
		"在草稿里记一条手头的事，过一阵就没有了。写同一个名字就是改写。", Scratch)
}

type notesOut struct {
	Slots   []Note `json:"slots"`
	Scratch []Note `json:"scratch"`
	Inner   string `json:"inner_state,omitempty"`
	LeftOut int    `json:"left_out,omitempty"` // notes that there is no room for
}

func (k *kit) readNotes() (nit.Tool, error) {
	return nit.Define("read_notes", nit.L1, "看看你自己记下的要点、草稿，和此刻的内心。", k.notes, shown(awake, nit.ReadOnly(), nit.DescribeIn(nit.ModePersona, "看看你在这个会话里记下的要点、草稿，和此刻的内心。"))...)
}

func (k *kit) notes(ctx context.Context, _ struct{}) (notesOut, error) {
	out := notesOut{Slots: []Note{}, Scratch: []Note{}}
	inner, err := k.o.Notes.Read(ctx, InnerState)
	if err != nil {
		return out, err
	}
	room := maxListed
	for _, n := range inner[:min(len(inner), 1)] {
		out.Inner = clip.Ellipsis(clean(n.Text), maxListed/3)
		room -= 2 * len([]rune(out.Inner))
	}
	for _, kind := range []struct {
		kind NoteKind
		into *[]Note
	}{{Slot, &out.Slots}, {Scratch, &out.Scratch}} {
		all, err := k.o.Notes.Read(ctx, kind.kind)
		if err != nil {
			return out, err
		}
		for _, n := range all {
			n = Note{plain(n.Name), clip.Ellipsis(clean(n.Text), 400)}
			if room -= len([]rune(n.Name)) + 2*strings.Count(n.Text, "\n") + 2*strings.Count(n.Text, `"`) + len([]rune(n.Text)) + 30; room < 0 {
				out.LeftOut++
				continue
			}
			*kind.into = append(*kind.into, n)
		}
	}
	return out, nil
}

func (k *kit) setInner() (nit.Tool, error) {
	return nit.Define("set_inner_state", nit.L1, "改写你的内心：此刻的感受，对自己、对身边的人的理解有什么变化。不是聊天的摘要。", k.setInnerState,
		shown([]string{ModeAutonomous}, characters("text", 0, maxNote))...)
}

func (k *kit) setInnerState(ctx context.Context, in innerIn) (string, error) {
	return "好", k.o.Notes.Write(ctx, InnerState, Note{Text: strings.TrimSpace(clean(in.Text))})
}
