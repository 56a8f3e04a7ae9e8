package self

import (
	"cmp"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

// Additional modes of the host.
const (
	ModeBackground = "background" // background turns that plan and edit memory; their output is shown to nobody
	ModeAutonomous = "life"       // autonomous turns, for example after a timer
)

// Options are the interfaces for the tools. A tool is omitted if its interface is nil.
type Options struct {
	Reports   *Reports   // notify_master
	Character Character  // character_ops
	Schedule  Schedule   // add_schedule, delete_schedule, reschedule
	Heartbeat Heartbeat  // set_heartbeat
	Notify    NotifyFunc // add_notification
	Timers    Timers     // set_timer, list_timers, cancel_timer
	Notes     Notes      // set_slot, set_scratch, read_notes, set_inner_state
	Documents Documents  // apply_patch_to_character_state, apply_patch_to_history_tasks

	Location *time.Location // for displayed times; nil means time.Local
}

// A toolset holds the options of the tools.
type toolset struct{ o Options }

// Tools returns the tools. All are in tier L1.
func Tools(o Options) ([]nit.Tool, error) {
	o.Location = cmp.Or(o.Location, time.Local)
	k := &toolset{o}
	var define []func() (nit.Tool, error)
	if o.Reports != nil {
		define = append(define, k.notifyMaster)
	}
	if o.Character != nil {
		define = append(define, k.characterOps)
	}
	if o.Schedule != nil {
		define = append(define, k.addSchedule, k.deleteSchedule, k.reschedule)
	}
	if o.Heartbeat != nil {
		define = append(define, k.setHeartbeat)
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
		return nil, errors.New("self: all interfaces in Options are nil")
	}
	return described.Tools(define...)
}

// toolOptions returns the options of a tool for these modes.
func toolOptions(modes []string, more ...nit.Option) []nit.Option {
	return append(more, nit.OnlyIn(modes...))
}

// textLength limits the length of a text parameter.
func textLength(name string, least, most int) nit.Option {
	return nit.EditSchema(func(s *jsonschema.Schema) {
		p := s.Properties[name]
		if p.MaxLength = &most; least > 0 {
			p.MinLength = &least
		}
	})
}

var (
	wakeModes = []string{nit.ModePersona, nit.ModeAgent, ModeAutonomous}
	allModes  = []string{nit.ModePersona, nit.ModeAgent, ModeAutonomous, ModeBackground}
)
