package social_test

import (
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social"
)

// A carrier is a kind of what a being writers down, and so may carry words from where they were read to where they must not
// be: a social.Datum, or one without a label.
type carrier struct {
	name string
	dull string // why nothing leaks where its label is lost; "": something does
}

// carriers are all of them. A new one needs a name here, and the calls that write it one in writers.
var carriers = []carrier{
	{name: string(social.DatumOwnerTyped), dull: "it bears the least label that the owner's words have"},
	{name: string(social.DatumOwnerAttached)},
	{name: string(social.DatumOwnerInChat)},
	{name: string(social.DatumChatMessage)},
	{name: string(social.DatumSent)},
	{name: string(social.DatumOwnerAnswer)},
	{name: string(social.DatumOwnerFact)},
	{name: string(social.DatumSlot)},
	{name: string(social.DatumScratch)},
	{name: string(social.DatumInnerState)},
	{name: string(social.DatumMood)},
	{name: string(social.DatumGlobalReflection), dull: "everybody may read what it is made of, and turns that can act are not shown it"},
	{name: string(social.DatumArchive)},
	{name: string(social.DatumPlan)},
	{name: string(social.DatumDocument)},
	{name: string(social.DatumReport)},
	{name: string(social.DatumToolResult)},
	{name: string(social.DatumActivity)},
	{name: string(social.DatumSummary)},
	{name: string(social.DatumDream)},
	{name: string(social.DatumImpression), dull: "turns of its chat alone are shown it, and the judge of a request, who knows that chat"},
	{name: jobRow, dull: "no prompt shows a row of a job; a request is shown where it is judged and answered"},
	{name: numbers, dull: "numbers, times, ids and keys of rows"},
}

// The carriers that are no social.Datum.
const (
	jobRow  = "job"
	numbers = "numbers"
)

// carrierOf is that of a record.
func carrierOf(r memory.Record) string {
	owners := r.Space.Base() == memory.Owner
	switch {
	case r.Kind == "archive":
		return string(social.DatumArchive)
	case r.Kind == "task":
		return string(social.DatumPlan)
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

// rowCarriers are those of rows, by how their keys begin. Where several fit, the longest does.
var rowCarriers = map[string]string{
	"errand/": jobRow, "cursor/": jobRow,
	"timer/": string(social.DatumPlan), "task/": string(social.DatumPlan),
	"paper/": string(social.DatumDocument), "nit/self/reports": string(social.DatumReport),
	"attention": numbers, "budget": numbers, "life/": numbers, "gone/": numbers, "recalled/": numbers, "left/": numbers, "mute/": numbers, "quiet/": numbers,
	"timer-last": numbers, "task-last": numbers, "asleep": numbers, "days/looked": numbers, "mood/": numbers, "memory//": numbers,
}

// noteCarriers are those of the rows of a space, by what stands behind it in the key.
var noteCarriers = map[string]string{
	"summary": string(social.DatumSummary), "dream": string(social.DatumDream), "person": string(social.DatumImpression),
	"note/inner": string(social.DatumInnerState), "note/scratch": string(social.DatumScratch), "note/slot": string(social.DatumSlot),
	"note/slot/heard%2F": string(social.DatumDocument),
	"note/slot/心情":       string(social.DatumMood), "note/slot/语气": string(social.DatumMood),
}

// rowCarrier is that of a row; "": a key of no known kind.
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

// writers are the calls of persona/social, and of the tools that it brings, that write to the store, by who makes them: under
// the carriers that they write, or, behind a dash, why they write none.
var writers = []struct {
	what  string
	calls []string
}{
	{"chat_message sent owner_in_chat", []string{"(*engine.Engine).keep → (*memory.Memory).Put"}},
	{"owner_typed owner_attached owner_answer report", []string{"(*engine.Engine).KeepOwner → (*memory.Memory).Put"}},
	{"owner_fact", []string{"(*recall.kit).write → (*memory.Memory).Put"}},
	{"owner_fact dream", []string{"(*recall.kit).correct → (*memory.Memory).Put"}},
	{"archive plan", []string{"(*days.Days).keep → (*memory.Memory).Put"}},
	{"slot", []string{"(days.notes).Write → (*memory.Notes).SetSlot"}},
	{"scratch", []string{"(days.notes).Write → (*memory.Notes).SetScratch"}},
	{"inner", []string{"(days.notes).Write → (*memory.Notes).SetInnerState", "(*days.Days).reflectOn → (*memory.Notes).CompareAndSwapInnerStateFrom"}},
	{"mood", []string{"(days.character).Change → (*memory.Notes).SetSlot"}},
	{"mind", []string{"(*days.Days).muse → (*memory.Notes).CompareAndSwapInnerState"}},
	{"plan", []string{
		"(days.alarms).Set → (*persona.Timers).Set", "(days.plans).Add → (*persona.Schedule).Add", "(*days.Days).lookBack → (*persona.Schedule).Reflect",
		"(*days.Days).live → (*persona.Life).Due", "(*days.Days).end → (*persona.Life).Done", "(*days.Days).restore → (*persona.Life).Resume",
		"(*days.Days).loaded → (*persona.Life).Resume",
	}},
	{"document", []string{"(*days.papers).Patch → (memory.State).Apply", "(*days.Days).hear → (*memory.Notes).SetSlot"}},
	{"report", []string{"(*self.Reports).change → (nit.State).Apply"}},
	{"summary", []string{"(*digest.Digest).ponderOn → (*memory.Summarizer).Update"}},
	{"dream summary", []string{"(*digest.Digest).nights → (*memory.Memory).Dream"}},
	{"impression", []string{"(*digest.Digest).regard → (*memory.People).Learn"}},
	{"job", []string{
		"(*engine.Engine).claim → (*persona.Errands).Take", "(*engine.Turn).Commit → (*persona.Errands).Commit", "(*engine.Turn).finish → (*persona.Errands).Done",
		"(*engine.Turn).giveBack → (*persona.Errands).Drop", "(*engine.Utterance).Send → (*persona.Errands).Result", "(*engine.talk).say → (*persona.Errands).Result",
		"(*engine.unconfirmed).doubtAll → (*persona.Errands).Done", "(*engine.unconfirmed).doubtAll → (*persona.Errands).Done 2",
		"(*engine.unconfirmed).settle → (*persona.Errands).Done", "(*engine.unconfirmed).settle → (*persona.Errands).Result",
		"(engine.batches).judge → (*persona.Errands).Pass", "(engine.startup).resume → (*persona.Errands).Drop", "(engine.startup).resume → (*persona.Errands).Resume",
		"(*days.Days).tellOwner → (*persona.Errands).Result", "(*presence.Commands).carryOut → (*persona.Errands).Take",
		"(*requests.Handler).Answer → (*persona.Errands).Take", "(*requests.Handler).answer → (*persona.Errands).Commit",
		"(*requests.Handler).answer → (*persona.Errands).Result", "(*requests.Handler).deal → (*persona.Errands).Take",
		"(*requests.Handler).end → (*persona.Errands).Done", "(*requests.Handler).requested → (*persona.Errands).Open",
	}},
	{"numbers", []string{
		"(*days.Days).done → (*persona.Life).Heard", "(*days.Days).news → (memory.State).Apply", "(*digest.Digest).felt → (memory.State).Apply",
		"(*engine.Engine).unhear → (memory.State).Apply", "(*engine.keeper).writeAttention → (memory.State).Apply", "(*engine.tombstones).Add → (memory.State).Apply",
		"(*presence.Presence).SaveSleep → (persona.State).Apply", "(*presence.Presence).put → (persona.State).Apply",
		"(*delivery.Delivery).Sticker → (*persona/speech.Stickers).Pick",
	}},
	{"- what was written goes, or is put elsewhere as it is", []string{
		"(*days.Days).archive → (*memory.Notes).EndSession", "(*days.Days).cancel → (*persona.Schedule).Cancel", "(*days.Days).cancel → (*persona.Schedule).Condensed",
		"(*days.Days).cancel → (*persona.Timers).Cancel", "(*days.Days).erase → (*persona.Life).ForgetChat", "(*days.Days).erase → (*persona.Schedule).ForgetChat",
		"(*days.Days).erase → (*persona.Schedule).ForgetPerson", "(*days.Days).erase → (*persona.Timers).ForgetChat", "(*days.Days).erase → (*persona.Timers).ForgetPerson",
		"(*days.Days).eraseArchive → (*memory.Memory).Delete", "(*days.Days).muse → (*memory.Notes).SetInnerState", "(*days.Days).news → (*persona.Schedule).Condensed",
		"(days.alarms).Cancel → (*persona.Timers).Cancel", "(days.plans).Cancel → (*persona.Schedule).Cancel",
		"(*engine.Engine).forget → (*memory.Memory).Delete", "(*engine.Engine).forgotten → (*persona.Errands).ForgetChat", "(*engine.Engine).forgotten → (*persona.Errands).ForgetTexts",
		"(*engine.Engine).forgotten → (memory.State).Apply", "(*engine.Engine).keep → (*memory.Memory).Delete", "(engine.startup).resume → (*memory.Memory).FinishErasures",
		"(*erase.Eraser).Chat → (*memory.Memory).EraseSpace", "(*erase.Eraser).Person → (*memory.Memory).ErasePerson", "(*erase.Eraser).withSelf → (*memory.Memory).Delete",
		"(*erase.Eraser).withSelf → (*memory.Notes).SetInnerState", "(*recall.kit).change → (*memory.Memory).Delete", "(*recall.kit).change → (*memory.Memory).Hide",
		"(*recall.kit).change → (*memory.Memory).Reveal", "digest.Quota → (*memory.Memory).Trim", "(*days.Days).hear → (*memory.Notes).SetSlot 2",
		"(*days.Days).hear → (*memory.Notes).SetSlot 3",
	}},
	{"- the owner sets a label, or takes that back", []string{
		"(*persona/social.Being).release → (*memory.Memory).Declassify", "(*persona/social.Being).release → (*memory.Memory).Endorse",
		"(*persona/social.Being).revoke → (*memory.Memory).Revoke",
	}},
	{"- a record gets its vector, and is else as it is", []string{"(*engine.Engine).Run → (*memory.Memory).Run"}},
}
