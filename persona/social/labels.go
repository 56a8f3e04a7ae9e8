package social

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Labels changes single rules of the table in docs/SECURITY.md. The table has the label and the readers of each kind
// of data. The zero value is that table.
type Labels struct {
	// Strict treats the results of all tools as untrusted, also in tier L3, unless the tool declares them trusted.
	Strict bool
	// Of returns the label of a datum with default label l. It is called when a datum is written, and for the result
	// of a tool before the model reads it. To return less than l is to declassify or to endorse. Nil keeps l.
	Of func(d Datum, l memory.Label) memory.Label
	// Show decides whether prompts and searches of a space's turns show a datum; show is the default. The space of
	// the owner's turns is memory.Owner. A shown datum still joins the label of the turn. Nil keeps show. It must not
	// block.
	Show func(to memory.Space, d Datum, l memory.Label, show bool) bool
}

// A Datum is a kind of data that the bot stores or that a tool returns.
type Datum string

// The kinds.
const (
	DatumOwnerTyped       = Datum(engine.DatumOwnerTyped)       // text that the owner typed in the app
	DatumOwnerAttached    = Datum(engine.DatumOwnerAttached)    // an attachment to it
	DatumOwnerInChat      = Datum(engine.DatumOwnerInChat)      // a message that the owner typed in a chat
	DatumChatMessage      = Datum(engine.DatumChatMessage)      // any other message of a chat
	DatumSent             = Datum(engine.DatumSent)             // a message of the bot in a chat
	DatumOwnerAnswer      = Datum(engine.DatumOwnerAnswer)      // an answer of the bot to the owner in the app
	DatumOwnerFact        = Datum(engine.DatumOwnerFact)        // a fact in the owner's memory, from memory_edit or the host
	DatumSlot             = Datum(engine.DatumSlot)             // a slot of a chat or of the owner's conversation
	DatumScratch          = Datum(engine.DatumScratch)          // scratch of a chat or of the owner's conversation
	DatumInnerState       = Datum(engine.DatumInnerState)       // the inner state of a chat or of the owner's conversation
	DatumThought          = Datum(engine.DatumThought)          // a thought about a chat, from ThinkPlanReply
	DatumMood             = Datum(engine.DatumMood)             // mood and tone, set by character_ops
	DatumGlobalReflection = Datum(engine.DatumGlobalReflection) // the global reflection
	DatumArchive          = Datum(engine.DatumArchive)          // the output of a background turn; no turn sees it
	DatumPlan             = Datum(engine.DatumPlan)             // a task or a timer
	DatumDocument         = Datum(engine.DatumDocument)         // a document of the bot about itself
	DatumReport           = Datum(engine.DatumReport)           // a report to the owner
	DatumToolResult       = Datum(engine.DatumToolResult)       // the result of a tool that is not built in
	DatumActivity         = Datum(engine.DatumActivity)         // titles and addresses of the owner's activity; checked when they are shown
	DatumSummary          = Datum(engine.DatumSummary)          // the summary of a chat or of the owner's conversation
	DatumDream            = Datum(engine.DatumDream)            // a memory from a nightly dream
	DatumImpression       = Datum(engine.DatumImpression)       // impression, relation and nicknames of a person
	DatumFact             = Datum(engine.DatumFact)             // a fact about a person, from Background.Facts
	DatumExpression       = Datum(engine.DatumExpression)       // how the people of a group talk, from Background.Expressions
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
