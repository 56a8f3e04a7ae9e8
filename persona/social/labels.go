package social

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Labels change single cells of the table of docs/SECURITY.md, which says what bears which label and which turns are shown it. The
// zero value is that table.
type Labels struct {
	// Strict counts as untrusted what all tools give that do not declare themselves trusted, those of tier L3, too.
	Strict bool
	// Of gives a datum its label, where by default it would bear l. It is asked when a datum is written, and for the result of
	// a tool before it is read. To give less than l is to declassify or to endorse. Nil keeps l.
	Of func(d Datum, l memory.Label) memory.Label
	// Show decides whether the turns of a space, memory.Owner being those of the owner, are shown a datum unasked, where show
	// is the default. What is shown joins the label of the turn all the same. Nil keeps show. It must not block.
	Show func(to memory.Space, d Datum, l memory.Label, show bool) bool
}

// A Datum is a kind of what a being keeps, or is given by a tool.
type Datum string

// The kinds.
const (
	DatumOwnerTyped       = Datum(engine.DatumOwnerTyped)       // what the owner typed in the app
	DatumOwnerAttached    = Datum(engine.DatumOwnerAttached)    // what the owner attached to it
	DatumOwnerInChat      = Datum(engine.DatumOwnerInChat)      // what the owner typed in a chat
	DatumChatMessage      = Datum(engine.DatumChatMessage)      // any other message of a chat
	DatumSent             = Datum(engine.DatumSent)             // what the being said in a chat
	DatumOwnerAnswer      = Datum(engine.DatumOwnerAnswer)      // what the being said to the owner in the app
	DatumOwnerFact        = Datum(engine.DatumOwnerFact)        // a fact in the owner's memory; by memory_edit, or by the host
	DatumSlot             = Datum(engine.DatumSlot)             // a slot of a chat or of the owner's talk
	DatumScratch          = Datum(engine.DatumScratch)          // the same for scratch
	DatumInnerState       = Datum(engine.DatumInnerState)       // the inner state of a chat or of the owner's talk
	DatumMood             = Datum(engine.DatumMood)             // mood and tone that character_ops sets
	DatumGlobalReflection = Datum(engine.DatumGlobalReflection) // the wider thought
	DatumArchive          = Datum(engine.DatumArchive)          // what was thought in the background; no turn is shown it
	DatumPlan             = Datum(engine.DatumPlan)             // a task or a timer
	DatumDocument         = Datum(engine.DatumDocument)         // a document that the being keeps on itself
	DatumReport           = Datum(engine.DatumReport)           // a report to the owner
	DatumToolResult       = Datum(engine.DatumToolResult)       // the result of a tool that is not the being's own
	DatumActivity         = Datum(engine.DatumActivity)         // titles and addresses of what the owner did; asked for when they are shown
	DatumSummary          = Datum(engine.DatumSummary)          // the summary of a chat or of the owner's talk
	DatumDream            = Datum(engine.DatumDream)            // a memory that a dream made
	DatumImpression       = Datum(engine.DatumImpression)       // what it thinks of a person, and what it calls them
)

func (l Labels) engine() engine.Labels {
	e := engine.Labels{Strict: l.Strict}
	if l.Of != nil {
		e.Of = func(d engine.Datum, label memory.Label) memory.Label { return l.Of(Datum(d), label) }
	}
	if l.Show != nil {
		e.Show = func(to memory.Space, d engine.Datum, label memory.Label, show bool) bool {
			return l.Show(to, Datum(d), label, show)
		}
	}
	return e
}
