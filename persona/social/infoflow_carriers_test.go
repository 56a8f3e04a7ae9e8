package social_test

import (
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social"
)

// A carrier is a kind of stored data that may carry text to a place where it must not be shown: a social.Datum, or a
// kind without a label.
type carrier struct {
	name     string
	harmless string // reason for which a lost label leaks nothing; "": it leaks
}

// carriers lists all of them. A new one needs an entry here, and entries for its writing calls in writers.
var carriers = []carrier{
	{name: string(social.DatumOwnerTyped), harmless: "it bears the least label that the owner's words have"},
	{name: string(social.DatumOwnerAttached)},
	{name: string(social.DatumOwnerInChat)},
	{name: string(social.DatumChatMessage)},
	{name: string(social.DatumSent)},
	{name: string(social.DatumOwnerAnswer)},
	{name: string(social.DatumOwnerFact)},
	{name: string(social.DatumSlot)},
	{name: string(social.DatumScratch)},
	{name: string(social.DatumInnerState)},
	{name: string(social.DatumThought), harmless: "turns of its chat alone are shown it, and the global reflection if everybody may read the chat"},
	{name: string(social.DatumMood)},
	{name: string(social.DatumGlobalReflection), harmless: "everybody may read what it is made of, and turns that can act are not shown it"},
	{name: string(social.DatumArchive)},
	{name: string(social.DatumPlan)},
	{name: string(social.DatumDocument)},
	{name: string(social.DatumReport)},
	{name: string(social.DatumToolResult)},
	{name: string(social.DatumActivity)},
	{name: string(social.DatumSummary)},
	{name: string(social.DatumDream)},
	{name: string(social.DatumImpression), harmless: "turns of its chat alone are shown it, and the judge of a request, who knows that chat"},
	{name: string(social.DatumFact), harmless: "it is made of messages of one chat, and turns of that chat alone are shown it"},
	{name: string(social.DatumExpression), harmless: "it is made of messages of one group and of the owner's settings, and turns of that group alone are shown it"},
	{name: jobRow, harmless: "no prompt shows a row of a job; a request is shown where it is judged and answered"},
	{name: numbers, harmless: "numbers, times, ids and keys of rows; and settings, which only the host writes and no prompt shows"},
}

// Carriers without a social.Datum.
const (
	jobRow  = "job"
	numbers = "numbers"
)

// carrierOf returns the carrier of a record.
func carrierOf(r memory.Record) string {
	owners := r.Space.Base() == memory.Owner
	switch {
	case r.Kind == "archive":
		return string(social.DatumArchive)
	case r.Kind == "task":
		return string(social.DatumPlan)
	case r.Kind == memory.KindClaim:
		return string(social.DatumFact)
	case r.Kind == memory.KindExpression:
		return string(social.DatumExpression)
	case r.Kind != memory.KindMessage && strings.HasPrefix(r.ID, "fact:"):
		return string(social.DatumOwnerFact)
	case r.Kind != memory.KindMessage:
		return string(social.DatumDream)
	case owners && strings.HasPrefix(r.ID, "report-"):
		return string(social.DatumReport)
	case owners && r.Person == "attachment":
		return string(social.DatumOwnerAttached)
	case owners && r.Own:
		return string(social.DatumOwnerAnswer)
	case owners:
		return string(social.DatumOwnerTyped)
	case r.Own:
		return string(social.DatumSent)
	case r.Person == "900" && r.LabelOrDefault().IsTrusted():
		return string(social.DatumOwnerInChat)
	}
	return string(social.DatumChatMessage)
}

// rowCarriers maps prefixes of row keys to carriers. The longest matching prefix wins.
var rowCarriers = map[string]string{
	"errand/": jobRow, "cursor/": jobRow, "decision/": jobRow,
	"timer/": string(social.DatumPlan), "task/": string(social.DatumPlan),
	"expressions/": string(social.DatumExpression), "paper/": string(social.DatumDocument), "nit/self/reports": string(social.DatumReport), "notices": string(social.DatumReport),
	"attention": numbers, "excuse/": numbers, "models/notices": numbers, "budget": numbers, "life/": numbers, "gone/": numbers, "recalled/": numbers, "left/": numbers, "mute/": numbers, "quiet/": numbers,
	"timer-last": numbers, "task-last": numbers, "asleep": numbers, "social_mode": numbers, "settings/": numbers, "change/": numbers, "nit/switch/": numbers, "days/looked": numbers, "mood/": numbers, "memory//": numbers,
}

// noteCarriers maps prefixes of a space's row keys, after the space, to carriers.
var noteCarriers = map[string]string{
	"summary": string(social.DatumSummary), "dream": string(social.DatumDream), "person": string(social.DatumImpression), "position": numbers,
	"note/inner": string(social.DatumInnerState), "note/scratch": string(social.DatumScratch), "note/slot": string(social.DatumSlot),
	"note/scratch/thoughts": string(social.DatumThought),
	"note/slot/heard%2F":    string(social.DatumDocument), "note/slot/session%2F": string(social.DatumSummary),
	"note/slot/心情": string(social.DatumMood), "note/slot/语气": string(social.DatumMood),
}

// rowCarrier returns the carrier of a row; "" for an unknown key.
func rowCarrier(key string) (name string) {
	kinds := rowCarriers
	if rest, ok := strings.CutPrefix(key, "memory/"); ok && !strings.HasPrefix(rest, "/") {
		var space string
		if space, key, _ = strings.Cut(rest, "/"); space == string(memory.Self) && key == "note/inner" {
			return string(social.DatumGlobalReflection)
		}
		kinds = noteCarriers
	}
	longest := -1
	for prefix, c := range kinds {
		if strings.HasPrefix(key, prefix) && len(prefix) > longest {
			name, longest = c, len(prefix)
		}
	}
	return name
}

// writers lists the calls in persona/social and its tools that write to the store, by the carriers they write. After a
// dash is a reason for calls that write none.
var writers = []struct {
	what  string
	calls []string
}{
	{"chat_message sent owner_in_chat", []string{"(*engine.Engine).journal → (*memory.Memory).Put", "engine.rewrite → (*memory.Memory).Put"}},
	{"owner_typed owner_attached owner_answer report", []string{"(*engine.Engine).PutOwnerMessage → (*memory.Memory).Put"}},
	{"owner_fact", []string{"(*recall.toolkit).write → (*memory.Memory).Put"}},
	{"owner_fact dream", []string{"(*recall.toolkit).correct → (*memory.Memory).Put", "(*persona/social/inspect.Handler).changeRecord → memory.Correct"}},
	{"archive plan", []string{"(*autonomy.Autonomy).put → (*memory.Memory).Put"}},
	{"slot", []string{"(autonomy.notes).Write → (*memory.Notes).SetSlot"}},
	{"scratch", []string{"(autonomy.notes).Write → (*memory.Notes).SetScratch"}},
	{"thought", []string{"(engine.thoughts).keep → (*memory.Notes).SetScratch"}},
	{"inner", []string{"(autonomy.notes).Write → (*memory.Notes).SetInnerState", "(*autonomy.Autonomy).reflectOn → (*memory.Notes).CompareAndSwapInnerStateFrom"}},
	{"mood", []string{"(autonomy.character).Change → (*memory.Notes).SetSlot"}},
	{"mind", []string{"(*autonomy.Autonomy).reflectGlobally → (*memory.Notes).CompareAndSwapInnerState"}},
	{"plan", []string{
		"(autonomy.timerAdapter).Set → (*persona/schedule.Timers).Set", "(autonomy.taskAdapter).Add → (*persona/schedule.Tasks).Add", "(autonomy.taskAdapter).Reschedule → (*persona/schedule.Tasks).Reschedule", "(*autonomy.Autonomy).AddTask → (*persona/schedule.Tasks).Add", "(*autonomy.Autonomy).recordOutcome → (*persona/schedule.Tasks).Reflect", "(*autonomy.Autonomy).recordMissingOutcomes → (*persona/schedule.Tasks).Reflect",
		"(*autonomy.Autonomy).run → (*persona/schedule.Planner).Due", "(*autonomy.Autonomy).finish → (*persona/schedule.Planner).Done", "(*autonomy.Autonomy).restore → (*persona/schedule.Planner).Restore",
		"(*autonomy.Autonomy).restored → (*persona/schedule.Planner).Restore", "autonomy.PostponeTask → (*persona/schedule.Tasks).Postpone",
	}},
	{"document", []string{"(*autonomy.documents).save → (memory.State).Apply"}},
	{"document summary", []string{"(autonomy.ownerParts).put → (*memory.Notes).SetSlot"}},
	{"report", []string{"(*self.Reports).change → (nit.State).Apply"}},
	{"summary", []string{"(*digest.Digest).processChat → (*memory.Summarizer).Update"}},
	{"dream summary", []string{"(*digest.Digest).dreamDaily → (*memory.Memory).Dream"}},
	{"fact", []string{"(*peoplefacts.Facts).process → (*memory/facts.Facts).CatchUp", "(*peoplefacts.Facts).Add → (*memory/facts.Facts).Add"}},
	{"expression", []string{
		"(*expressions.Expressions).learn → (*memory/expressions.Group).Put", "(*expressions.Expressions).decide → (memory.State).Apply",
		"(*expressions.Expressions).explain → (*memory/expressions.Group).SetMeaning",
	}},
	{"impression", []string{"(*digest.Digest).updatePeople → (*memory.People).Learn"}},
	{"job", []string{
		"(*engine.Engine).claim → (*persona/jobs.Queue).Claim", "(*engine.Turn).Commit → (*persona/jobs.Queue).Commit", "(*engine.Turn).finish → (*persona/jobs.Queue).Done",
		"(*engine.Turn).release → (*persona/jobs.Queue).Release", "engine.returnBatch → (*persona/jobs.Queue).Release", "(*engine.Utterance).Send → (*persona/jobs.Queue).Result", "(*engine.ownerReply).deliverItem → (*persona/jobs.Queue).Result",
		"(*engine.unconfirmedSends).addJob → (*persona/jobs.Queue).Done", "(*engine.unconfirmedSends).addJob → (*persona/jobs.Queue).Done 2",
		"(*engine.unconfirmedSends).resolve → (*persona/jobs.Queue).Done", "(*engine.unconfirmedSends).resolve → (*persona/jobs.Queue).Result",
		"(engine.batchHandler).judge → (*persona/jobs.Queue).Ack", "(engine.batchHandler).silenced → (*persona/jobs.Queue).Ack", "(engine.startup).resume → (*persona/jobs.Queue).Release", "(engine.startup).resume → (*persona/jobs.Queue).Recover",
		"(*autonomy.Autonomy).sendToOwner → (*persona/jobs.Queue).Result", "(*presence.Commands).execute → (*persona/jobs.Queue).Claim",
		"(*requests.Handler).Answer → (*persona/jobs.Queue).Claim", "(*requests.Handler).answer → (*persona/jobs.Queue).Commit",
		"(*requests.Handler).answer → (*persona/jobs.Queue).Result", "(*requests.Handler).handle → (*persona/jobs.Queue).Claim",
		"engine.Settle → (*persona/jobs.Queue).Result", "(*requests.decisions).change → (persona.State).Apply", "(*requests.Handler).finish → (*persona/jobs.Queue).Done", "(*requests.Handler).receive → (*persona/jobs.Queue).Add",
	}},
	{"numbers", []string{
		"(*autonomy.Autonomy).turnDone → (*persona/schedule.Planner).Observe", "(*autonomy.Autonomy).addOwnerContext → (memory.State).Apply", "(*digest.Digest).applyFeelings → (memory.State).Apply", "(*autonomy.heartbeat).set → (*memory.Memory).SetConfig",
		"(*engine.Engine).handleRetraction → (memory.State).Apply", "(*engine.attentionSaver).write → (memory.State).Apply", "(*engine.tombstones).Add → (memory.State).Apply",
		"engine.SetSocialMode → (memory.State).Apply", "(*presence.Presence).saveSleep → (persona.State).Apply", "(*settings.Overrides).store → (memory.State).Apply", "(*presence.Presence).put → (persona.State).Apply", "(*presence.budgetWatch).notify → (persona.State).Apply", "(*excuses.Excuses).note → (memory.State).Apply", "(*excuses.Excuses).tellOwner → (memory.State).Apply",
		"(*delivery.Delivery).PickSticker → (*persona/speech.StickerPicker).Pick", "(*changes.Log).put → (memory.State).Apply", "(*feedback.Recorder).save → (memory.State).Apply", "(*feedback.Recorder).Reset → (memory.State).Apply", "(*persona/social.Bot).SwitchPlugin → (*nit.Plugins).SwitchPlugin",
	}},
	{"- deletes, or moves data unchanged", []string{
		"(*persona/social/inspect.Handler).changeRecord → (*memory.Memory).Delete", "(*persona/social/inspect.Handler).changeRecord → (*memory.Memory).Hide",
		"(*persona/social/inspect.Handler).changeRecord → (*memory.Memory).Reveal",
		"autonomy.CancelPlan → (*persona/schedule.Tasks).Cancel", "autonomy.CancelPlan → (*persona/schedule.Timers).Cancel",
		"(*autonomy.Autonomy).archive → (*memory.Notes).EndSession", "(*autonomy.Autonomy).cancel → (*persona/schedule.Tasks).Cancel", "(*autonomy.Autonomy).cancel → (*persona/schedule.Tasks).MarkCondensed",
		"(*autonomy.Autonomy).cancel → (*persona/schedule.Timers).Cancel", "(*autonomy.Autonomy).erase → (*persona/schedule.Planner).EraseChat", "(*autonomy.Autonomy).erase → (*persona/schedule.Tasks).EraseChat",
		"(*autonomy.Autonomy).erase → (*persona/schedule.Tasks).ErasePerson", "(*autonomy.Autonomy).erase → (*persona/schedule.Timers).EraseChat", "(*autonomy.Autonomy).erase → (*persona/schedule.Timers).ErasePerson",
		"(*autonomy.Autonomy).eraseArchive → (*memory.Memory).Delete", "(*autonomy.Autonomy).reflectGlobally → (*memory.Notes).SetInnerState", "(*autonomy.Autonomy).addOwnerContext → (*persona/schedule.Tasks).MarkCondensed",
		"(autonomy.timerAdapter).Cancel → (*persona/schedule.Timers).Cancel", "(autonomy.taskAdapter).Cancel → (*persona/schedule.Tasks).Cancel",
		"(*engine.Engine).deleteRetracted → (*memory.Memory).Delete", "(*engine.Engine).onErase → (*persona/jobs.Queue).EraseChat", "(*engine.Engine).onErase → (*persona/jobs.Queue).EraseTexts",
		"(*engine.Engine).onErase → (memory.State).Apply", "(*engine.Engine).journal → (*memory.Memory).Delete", "(engine.startup).resume → (*memory.Memory).FinishErasures",
		"(*erase.Eraser).Chat → (*memory.Memory).EraseSpace", "(*erase.Eraser).Person → (*memory.Memory).ErasePerson", "(*erase.Eraser).eraseWithSelf → (*memory.Memory).Delete",
		"(*erase.Eraser).eraseWithSelf → (*memory.Notes).SetInnerState", "(*recall.toolkit).change → (*memory.Memory).Delete", "(*recall.toolkit).change → (*memory.Memory).Hide",
		"(*recall.toolkit).change → (*memory.Memory).Reveal", "digest.Quota → (*memory.Memory).Trim", "(*notices.Messenger).eraseSent → (*memory.Memory).Delete", "(*notices.Messenger).erase → (*persona/jobs.Queue).EraseTexts", "(autonomy.ownerParts).put → (*memory.Notes).SetSlot 2",
		"(autonomy.ownerParts).put → (*memory.Notes).SetSlot 3",
	}},
	{"- tries it in a dry run, which stores nothing", []string{
		"(*persona/social/inspect.changePage).try → (*memory.Memory).Delete", "(*persona/social/inspect.changePage).try → (*memory.Memory).Endorse", "(*persona/social/inspect.changePage).try → (*memory.Memory).Hide",
		"(*persona/social/inspect.changePage).try → (*memory.Memory).Reveal", "(*persona/social/inspect.changePage).try → memory.Correct",
		"(*erase.Eraser).preview → (*memory.Memory).Delete", "(*erase.Eraser).preview → (*memory.Memory).ErasePerson", "(*erase.Eraser).preview → (*memory.Notes).SetInnerState",
	}},
	{"- the owner sets or revokes a label", []string{
		"(*persona/social.Bot).release → (*memory.Memory).Declassify", "(*persona/social.Bot).release → (*memory.Memory).Endorse",
		"(*persona/social.Bot).revoke → (*memory.Memory).Revoke",
	}},
	{"- adds a vector to a record", []string{"(*engine.Engine).Run → (*memory.Memory).Run"}},
}
