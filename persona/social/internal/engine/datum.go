package engine

import (
	"strings"

	"github.com/hearth-bot/hearth/memory"
)

// A Datum is a kind of data, documented in package social.
type Datum string

const (
	DatumOwnerTyped       Datum = "owner_typed"
	DatumOwnerAttached    Datum = "owner_attached"
	DatumOwnerInChat      Datum = "owner_in_chat"
	DatumChatMessage      Datum = "chat_message"
	DatumSent             Datum = "sent"
	DatumOwnerAnswer      Datum = "owner_answer"
	DatumOwnerFact        Datum = "owner_fact"
	DatumSlot             Datum = "slot"
	DatumScratch          Datum = "scratch"
	DatumInnerState       Datum = "inner"
	DatumThought          Datum = "thought"
	DatumMood             Datum = "mood"
	DatumGlobalReflection Datum = "mind"
	DatumArchive          Datum = "archive"
	DatumPlan             Datum = "plan"
	DatumDocument         Datum = "document"
	DatumReport           Datum = "report"
	DatumToolResult       Datum = "tool_result"
	DatumActivity         Datum = "activity"
	DatumSummary          Datum = "summary"
	DatumDream            Datum = "dream"
	DatumImpression       Datum = "impression"
	DatumFact             Datum = "fact"
	DatumExpression       Datum = "expression"
)

// Labels are documented in package social.
type Labels struct {
	Strict bool
	Of     func(d Datum, l memory.Label) memory.Label
	Show   func(to memory.Space, d Datum, l memory.Label, show bool) bool
}

// LabelOf returns the label of a datum whose default label is l.
func (o *Labels) LabelOf(d Datum, l memory.Label) memory.Label {
	if o.Of != nil {
		return o.Of(d, l)
	}
	return l
}

// ReportID is the prefix of the ids of reports in the owner's conversation.
const ReportID = "report-"

// DatumOf returns the kind of a record.
func DatumOf(r memory.Record) Datum {
	owners := r.Space.Base() == memory.Owner
	switch {
	case r.Kind == memory.KindMessage && owners && strings.HasPrefix(r.ID, ReportID):
		return DatumReport
	case r.Kind == memory.KindMessage && owners && r.Own:
		return DatumOwnerAnswer
	case r.Kind == memory.KindMessage && owners && r.Person == attachmentAuthor:
		return DatumOwnerAttached
	case r.Kind == memory.KindMessage && owners:
		return DatumOwnerTyped
	case r.Kind == memory.KindMessage && r.Own:
		return DatumSent
	case r.Kind == memory.KindMessage:
		return DatumChatMessage
	case r.Kind == memory.KindClaim:
		return DatumFact
	case r.Kind == memory.KindExpression:
		return DatumExpression
	case r.Kind == memory.KindFact && owners:
		return DatumOwnerFact
	}
	return DatumDream
}

// attachmentAuthor is the author of the owner's attachments.
const attachmentAuthor = "attachment"
