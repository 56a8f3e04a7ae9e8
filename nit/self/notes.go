package self

import (
	"context"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
)

// A NoteKind is the lifetime of a note.
type NoteKind string

const (
	Slot       NoteKind = "slot"    // permanent, until it is emptied
	Scratch    NoteKind = "scratch" // until the end of its session
	InnerState NoteKind = "inner"   // the inner state: one text without a name, replaced as a whole
)

// A Note is a short text with a name.
type Note struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// Notes stores the bot's notes by session. nit.PrincipalFrom returns the session of the call. A note is visible only in
// its own session. Errors made with nit.ModelError are shown to the model.
type Notes interface {
	Read(ctx context.Context, kind NoteKind) ([]Note, error)
	Write(ctx context.Context, kind NoteKind, n Note) error // an empty text removes the note
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
	maxNote     = 2000 // in characters
)

func (k *toolset) note(name, description, persona string, kind NoteKind) (nit.Tool, error) {
	write := func(ctx context.Context, in noteIn) (string, error) {
		n := Note{Name: strings.TrimSpace(cleanLine(in.Name)), Text: strings.TrimSpace(cleanText(in.Text))}
		if n.Name == "" {
			return "", nit.ModelError("name 是空的，没有记")
		}
		return "好", k.o.Notes.Write(ctx, kind, n)
	}
	return nit.Define(name, nit.L1, description, write,
		toolOptions(wakeModes, nit.DescribeIn(nit.ModePersona, persona), textLength("name", 1, maxNoteName), textLength("text", 0, maxNote))...)
}

func (k *toolset) setSlot() (nit.Tool, error) {
	return k.note("set_slot", "长期记住一条要点，例如偏好、约定、关系。写同一个名字就是改写。",
		"长期记住这个会话里的一条要点，例如谁喜欢什么、约好了什么。写同一个名字就是改写。别的会话里看不到它。", Slot)
}

func (k *toolset) setScratch() (nit.Tool, error) {
	return k.note("set_scratch", "在草稿里记一条手头的事，这次会话结束就没有了。写同一个名字就是改写。",
		"在草稿里记一条手头的事，过一阵就没有了。写同一个名字就是改写。", Scratch)
}

type notesOut struct {
	Slots   []Note `json:"slots"`
	Scratch []Note `json:"scratch"`
	Inner   string `json:"inner_state,omitempty"`
	LeftOut int    `json:"left_out,omitempty"` // number of notes that did not fit
}

func (k *toolset) readNotes() (nit.Tool, error) {
	return nit.Define("read_notes", nit.L1, "看看你自己记下的要点、草稿，和此刻的内心。", k.notes, toolOptions(wakeModes, nit.ReadOnly(), nit.DescribeIn(nit.ModePersona, "看看你在这个会话里记下的要点、草稿，和此刻的内心。"))...)
}

func (k *toolset) notes(ctx context.Context, _ struct{}) (notesOut, error) {
	out := notesOut{Slots: []Note{}, Scratch: []Note{}}
	inner, err := k.o.Notes.Read(ctx, InnerState)
	if err != nil {
		return out, err
	}
	room := maxListed
	for _, n := range inner[:min(len(inner), 1)] {
		out.Inner = clip.Ellipsis(cleanText(n.Text), maxListed/3)
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
			n = Note{cleanLine(n.Name), clip.Ellipsis(cleanText(n.Text), 400)}
			if room -= len([]rune(n.Name)) + 2*strings.Count(n.Text, "\n") + 2*strings.Count(n.Text, `"`) + len([]rune(n.Text)) + 30; room < 0 {
				out.LeftOut++
				continue
			}
			*kind.into = append(*kind.into, n)
		}
	}
	return out, nil
}

func (k *toolset) setInner() (nit.Tool, error) {
	return nit.Define("set_inner_state", nit.L1, "改写你的内心：此刻的感受，对自己、对身边的人的理解有什么变化。不是聊天的摘要。", k.setInnerState,
		toolOptions([]string{ModeAutonomous}, textLength("text", 0, maxNote))...)
}

func (k *toolset) setInnerState(ctx context.Context, in innerIn) (string, error) {
	return "好", k.o.Notes.Write(ctx, InnerState, Note{Text: strings.TrimSpace(cleanText(in.Text))})
}
