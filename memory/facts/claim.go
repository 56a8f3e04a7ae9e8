package facts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A Relation is what a claim is about.
type Relation string

// The relations that are known.
const (
	Birthday Relation = "birthday" // the value has the form 3月5日
	Job      Relation = "job"      // a firm, an occupation or both
	Place    Relation = "place"    // where somebody lives
	Likes    Relation = "likes"
	Dislikes Relation = "dislikes"
	Pet      Relation = "pet"
	Plan     Relation = "plan"
	Partner  Relation = "partner"
	Roommate Relation = "roommate"
	Alias    Relation = "alias" // a name by which the person wants to be called
)

// relations lists all relations in the order of prompts, with their Chinese names.
var relations = [...]struct {
	relation Relation
	name     string
	multiple bool // several values hold at a time
}{
	{Job, "工作", false}, {Place, "住处", false}, {Partner, "对象", false}, {Roommate, "室友", false}, {Pet, "宠物", true}, {Plan, "打算", true},
	{Birthday, "生日", false}, {Likes, "喜欢", true}, {Dislikes, "讨厌", true}, {Alias, "外号", true},
}

func (r Relation) rank() int {
	for i := range relations {
		if relations[i].relation == r {
			return i
		}
	}
	return len(relations)
}

// Multiple reports whether a person may have several values at a time.
func (r Relation) Multiple() bool { i := r.rank(); return i == len(relations) || relations[i].multiple }

// A Claim is what one message says about a person.
type Claim struct {
	Subject  string // account of the person it is about
	Relation Relation
	Value    string    // "" only with Ends, for all values
	Person   string    // account of the person that Value names, if any
	Ends     bool      // the value no longer holds
	Speaker  string    // account of the author
	At       time.Time // time of the message
	ID       string    // of the claim's record
	Source   string    // ID of the message
	Label    memory.Label
}

// idPrefix begins the IDs of claims. A number and the ID of the message follow, so that reading a message again replaces
// its claims.
const idPrefix = "claim:"

// Tags of a claim's record.
const (
	tagRelation = "relation:"
	tagSpeaker  = "speaker:"
	tagEnds     = "ends"
)

// claimImportance makes a quota delete messages before claims.
const claimImportance = .7

// record converts the n-th claim of a message for memory.
func (c *Claim) record(n int) memory.Record {
	tags := []string{tagRelation + string(c.Relation), tagSpeaker + c.Speaker}
	if c.Ends {
		tags = append(tags, tagEnds)
	}
	if c.Person != "" {
		tags = append(tags, memory.TagAbout+c.Person)
	}
	return memory.Record{
		ID: fmt.Sprint(idPrefix, n, ":", c.Source), Kind: memory.KindClaim, Person: c.Subject, Text: c.Value, At: c.At,
		Tags: tags, Sources: []string{c.Source}, Importance: claimImportance,
	}
}

// claimFrom converts a record. It returns false for a record of another kind.
func claimFrom(r *memory.Record) (c Claim, ok bool) {
	if r.Kind != memory.KindClaim || len(r.Sources) == 0 {
		return c, false
	}
	c = Claim{Subject: r.Person, Value: r.Text, Ends: slices.Contains(r.Tags, tagEnds), At: r.At, ID: r.ID, Source: r.Sources[0], Label: r.LabelOrDefault()}
	for _, tag := range r.Tags {
		if v, is := strings.CutPrefix(tag, tagRelation); is {
			c.Relation = Relation(v)
		} else if v, is := strings.CutPrefix(tag, tagSpeaker); is {
			c.Speaker = v
		} else if v, is := strings.CutPrefix(tag, memory.TagAbout); is {
			c.Person = v
		}
	}
	return c, c.Subject != "" && c.Relation != "" && c.Speaker != ""
}
