package facts

// A reader reads one message.
type reader struct {
	names   *Names
	speaker string
	claims  []Claim
	heldBy  func() []Fact // the facts about the speaker that hold; may be nil
	held    []Fact

	text       string // the message up to the end of the clause
	clauseText string
	mentionsOf string // the clause of mentioned
	mentioned  []mention

	subject  string // of the last clause
	named    string // person named last; "": none
	name     string // the name used for that person
	self     bool   // a clause before has the speaker as its subject
	carried  bool   // the clause before is a subject without a verb
	asked    bool   // the message has a question
	aboutJob bool   // the message tells of a change of jobs

	coupleState
	planState
	placeState
	petState
	tasteState
	nameState
}

// A coupleState is what clauses before tell of couples.
type coupleState struct {
	recent, recentWith mention // people named in a clause before
	bare               string  // the name that was a clause before
	waits              string  // person of whom a clause says that it has found a lover
	courted            string  // the person who asks the speaker to be a couple
	announced          bool    // the message announces a couple
	praised            bool    // the message praises a couple
	homely             bool    // a clause before calls a person a part of the speaker's home
	over               bool    // the clause before tells of the end of something
}

// A planState is what clauses before tell of plans.
type planState struct {
	planned string // what somebody intended to do
	decided bool   // the message tells of a decision
	settled bool   // the clause before tells of a decision
}

// A placeState is what clauses before tell of places.
type placeState struct {
	city    string // the place named in a clause before
	moving  bool   // a clause tells of moving
	arrived bool   // a clause before tells from where somebody came
}

// A petState is what clauses before tell of animals.
type petState struct {
	animal string // the animal in a clause before
	newPet bool   // a clause tells of an animal without naming it
}

// A tasteState is what clauses before tell of likes.
type tasteState struct {
	object   string // what a clause before is about
	doubtful bool   // object may be no thing
	found    bool   // the clause has an object
	favors   bool   // the clause before asks what the best thing is
	wasFond  bool   // a clause before tells of what somebody liked once
}

// A nameState is what clauses before tell of names.
type nameState struct {
	renamed  bool   // the message tells of a name
	short    string // the clause before, if it is short
	bareSelf string // what stands after the speaker in a clause without a verb
}

// Each kind of statement has its own type for its rules. They share a reader.
type (
	jobReader    struct{ *reader }
	coupleReader struct{ *reader }
	planReader   struct{ *reader }
	placeReader  struct{ *reader }
	petReader    struct{ *reader }
	tasteReader  struct{ *reader }
	nameReader   struct{ *reader }
)

// maxValueBytes is the length of the longest value that the rules read.
const maxValueBytes = 120

// add adds a claim, unless its value is unusable.
func (r *reader) add(subject string, relation Relation, value string, ends bool) bool {
	if subject == "" || value == "" && !ends || len(value) > maxValueBytes {
		return false
	}
	c := Claim{Subject: subject, Relation: relation, Value: value, Ends: ends}
	if value != "" && (relation == Partner || relation == Roommate) {
		if c.Person = r.names.Meant(value); c.Person == "" {
			if id, name := r.names.prefix(value); name == value {
				c.Person = id
			}
		}
	}
	for i := range r.claims {
		if r.claims[i].sameAs(c) && r.claims[i].Ends == ends {
			return true
		}
	}
	r.claims = append(r.claims, c)
	return true
}
