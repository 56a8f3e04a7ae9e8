package self

import (
	"cmp"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

// Modes of the host that some tools are shown in.
const (
	ModeBackground = "background" // plans ahead and mends memory; what it says is shown to nobody
	ModeAutonomous = "life"       // wakes by itself: a timer, a motive
)

// Options are what the tools act on. What is nil has no tool.
type Options struct {
	Reports   *Reports   // notify_master
	Character Character  // character_ops
	Schedule  Schedule   // add_schedule, delete_schedule
	Notify    NotifyFunc // add_notification
	Timers    Timers     // set_timer, list_timers, cancel_timer
	Notes     Notes      // set_slot, set_scratch, read_notes, set_inner_state
	Documents Documents  // apply_patch_to_character_state, apply_patch_to_history_tasks

	Location *time.Location // of times that are shown; nil means time.Local
}

// A kit is what the tools are made of.
type kit struct{ o Options }

// Tools makes the tools, all in tier L1.
func Tools(o Options) ([]nit.Tool, error) {
	o.Location = cmp.Or(o.Location, time.Local)
	k := &kit{o}
	var define []func() (nit.Tool, error)
	if o.Reports != nil {
		define = append(define, k.notifyMaster)
	}
	if o.Character != nil {
		define = append(define, k.characterOps)
	}
	if o.Schedule != nil {
		define = append(define, k.addSchedule, k.deleteSchedule)
	}
	if o.Notify != nil {
		define = append(define, k.addNotification)
	}
	if o.Timers != nil {
		define = append(define, k.setTimer, k.listTimers, k.cancelTimer)
	}
	if o.Notes != nil {
		define = append(define, k.setSlot, k.setScratch, k.readNotes, k.setInner)
	}
	if o.Documents != nil {
		define = append(define, k.patchCharacter, k.patchHistory)
	}
	if len(define) == 0 {
		return nil, errors.New("self: Options name nothing that tools could act on")
	}
	return described.Tools(define...)
}

// shown are the options of a tool of tier L1 that these modes have.
func shown(modes []string, more ...nit.Option) []nit.Option {
	return append(more, nit.OnlyIn(modes...))
}

// characters bounds how many characters a text has.
func characters(name string, least, most int) nit.Option {
	return nit.EditSchema(func(s *jsonschema.Schema) {
		p := s.Properties[name]
		if p.MaxLength = &most; least > 0 {
			p.MinLength = &least
		}
	})
}

var (
	awake  = []string{nit.ModePersona, nit.ModeAgent, ModeAutonomous}
	always = []string{nit.ModePersona, nit.ModeAgent, ModeAutonomous, ModeBackground}
)
