package facts

import (
	"strings"
)

// planValue cleans a plan.
func planValue(s *sentence, after string) string {
	text := strings.TrimLeft(s.text[len(s.text)-len(after):], " ")
	low := lower(text)
	for _, stop := range enBreaks {
		if i := strings.Index(low+" ", stop); i > 0 {
			text, low = text[:i], low[:i]
		}
	}
	text = strings.Trim(text, " .!~*\"")
	for again := true; again; {
		w := enTails.ends(lower(text))
		if again = w != "" && len(w) < len(text) && text[len(text)-len(w)-1] == ' '; again {
			text = strings.TrimRight(text[:len(text)-len(w)], " ")
		}
	}
	for again := true; again; {
		text, again = cutFold(text, "finally ", "actually ", "just ", "try to ", "probably ", "definitely ", "try and ", "totally ", "also ", "go and ", "maybe ", "really ", "still ", "eventually ")
	}
	if n := len(strings.Fields(text)); n == 0 || n > 8 || n < 2 && len(text) < 5 || enTrivial.begin(lower(text)) || enPronouns.in(lower(text)) {
		return ""
	}
	return text
}

func (r *englishReader) enPlanEnd(s *sentence) bool {
	return r.each(s, enDrop, func(subject, before, w, after string) bool {
		v := planValue(s, after)
		if v == "" {
			return false
		}
		off := enSurely.is(w) || enOff.in(after) || enOff.in(before) || strings.HasPrefix(w, "gave_up")
		if w == "plan to" || w == "plans to" { // my plan to … is off
			if off = enOff.in(after) || enOff.in(before); !off {
				return false
			}
		}
		if !off && w != "was gonna" && w != "was going to" && w != "was planning to" && w != "said id" && w != "thought id" && !r.off {
			return false
		}
		return r.add(subject, Plan, v, true)
	})
}

func (r *englishReader) enPlan(s *sentence) bool {
	return r.each(s, enPlan, func(subject, before, w, after string) bool {
		v := planValue(s, after)
		if v == "" || negated(before) || strings.HasSuffix(strings.TrimSpace(before), "was") || (w == "going to" || w == "will") && strings.HasPrefix(v, "the ") {
			return false
		}
		return r.add(subject, Plan, v, false)
	})
}

func (r *englishReader) enJob(s *sentence) bool {
	if r.each(s, enLeft, func(subject, before, w, after string) bool {
		return !negated(before) && r.add(subject, Job, "", true)
	}) {
		return true
	}
	if r.each(s, enWork, func(subject, before, w, after string) bool {
		v := s.value(after)
		if v == "" || v[0] >= '0' && v[0] <= '9' || negated(before) || noFirmEn.in(lower(v)) || noFirmEn.in(after) && len(strings.Fields(v)) > 2 || enVague.is(w) && !isName(v) {
			return false
		}
		if strings.HasPrefix(strings.TrimSpace(after), "being ") {
			return false
		}
		return r.add(subject, Job, v, false)
	}) {
		return true
	}
	if r.each(s, enRole, func(subject, before, w, after string) bool {
		role := roleOf(s, after)
		return role != "" && !negated(before) && r.add(subject, Job, role, false)
	}) {
		return true
	}
	return r.each(s, enAt, func(subject, before, w, after string) bool { // i'm at Nokia now
		v := s.value(after)
		lead := strings.TrimSpace(before)
		being := strings.HasSuffix(lead, "im") || strings.HasSuffix(lead, "is") || strings.HasSuffix(lead, "'s") || strings.HasSuffix(lead, "been") || strings.HasSuffix(lead, "theyre") || strings.HasSuffix(lead, "hes") || strings.HasSuffix(lead, "shes") || strings.HasSuffix(lead, "now") || strings.HasSuffix(lead, "am")
		known := subject != r.speaker || enMore.in(after) || strings.Contains(before, "now") || strings.Contains(before, "been") || strings.Contains(s.low, "job") || r.aboutJob
		return isName(v) && being && known && r.add(subject, Job, v, false)
	}) || r.aboutJob && len(s.all) == 0 && r.subject != "" && len(strings.Fields(s.text)) < 4 && r.add(r.subject, Job, roleOf(s, s.low), false) || r.aboutJob && isName(s.text) && len(s.all) == 0 && len(strings.Fields(s.text)) < 3 && r.subject != "" && r.add(r.subject, Job, englishValue(s.text), false)
}

var (
	noFirmEn = setOf("|group|chat|server|home|bed|school|class|party|game|team speak|discord|match|lobby|guild|raid|voice|call|bed at|gym|store|mall|movies|beach|hospital|doctor|dentist|airport|bathroom")
	enVague  = setOf("|now with|moved on to|joined|joining|went to|switched to|switched over to|left for|back at|transferred to")
)

// isName reports whether a text begins with a capital letter.
func isName(v string) bool { return v != "" && 'A' <= v[0] && v[0] <= 'Z' }

// roleOf returns the occupation after a cue.
func roleOf(s *sentence, after string) string {
	text := strings.TrimLeft(s.text[len(s.text)-len(after):], " ")
	for again := true; again; {
		text, again = cutFold(text, "a ", "an ", "the ", "professional ", "full-time ", "full time ", "part-time ", "part time ", "certified ", "licensed ", "registered ", "humble ", "proud ", "real ", "actual ", "freaking ", "new ")
	}
	text = strings.TrimPrefix(text, " ")
	if before, w, _ := enRoleStops.find(lower(text)); w != "" && before != "" {
		text = text[:len(before)]
	}
	v := englishValue(text)
	low := lower(v)
	if v == "" || len(strings.Fields(v)) > 3 || notRoles.ends(low) != "" {
		return ""
	}
	if _, is := cutEndAny(low, englishRoles); !is || isName(v) && v != strings.ToUpper(v) && strings.HasSuffix(low, "er") {
		return ""
	}
	if w, _ := animalEnd(low); w {
		return ""
	}
	return v
}

var enRoleStops = setOf("|now|at|by|irl|for|in|and|but|so|these|since|lol|lmao|here|full|so if|who|with|from|on|as|ask|if|today|officially|again|by trade|by day")

func animalEnd(low string) (bool, string) { w := enAnimals.ends(low); return w != "" && w == low, w }

func (r *englishReader) enHome(s *sentence) bool {
	if r.each(s, enPlace, func(subject, before, w, after string) bool {
		v := s.value(after)
		text := strings.TrimSpace(after)
		if v == "" || v[0] >= '0' && v[0] <= '9' || negated(before) || strings.HasPrefix(text, "a ") || strings.HasPrefix(text, "the ") && !strings.HasPrefix(text, "the netherlands") && !strings.HasPrefix(text, "the uk") && !strings.HasPrefix(text, "the bay") || strings.HasPrefix(text, "my ") || strings.HasPrefix(text, "new ") && !isName(v) || len(strings.Fields(v)) > 3 {
			return false
		}
		if w == "moved to" && (subject != r.speaker || r.aboutJob) && (strings.Contains(r.whole, "referral") || strings.Contains(r.whole, "job") || strings.Contains(r.whole, "hired") || strings.Contains(r.whole, "hiring")) {
			return r.add(subject, Job, v, false)
		}
		if (w == "moved in" || w == "place in" || w == "out in" || w == "ended up in" || w == "landed in" || w == "home is") && !isName(v) {
			return false
		}
		return r.add(subject, Place, v, false)
	}) {
		return true
	}
	if before, w, _ := enHomes.find(s.low); w != "" && before != "" {
		if v := s.leftValue(before); isName(v) {
			return r.add(r.subjectOr(s), Place, v, false)
		}
	}
	if v, ok := strings.CutSuffix(s.low, " it is"); ok && r.moving && v != "" {
		return r.add(r.subject, Place, englishValue(s.text[:len(v)]), false)
	}
	return r.each(s, enIn, func(subject, before, w, after string) bool { // i'm in Oslo now
		v := s.value(after)
		lead := strings.TrimSpace(before)
		being := strings.HasSuffix(lead, "im") || strings.HasSuffix(lead, "is") || strings.HasSuffix(lead, "been") || strings.HasSuffix(lead, "am") || strings.HasSuffix(lead, "now") || strings.HasSuffix(lead, "back") || strings.HasSuffix(lead, "'s") || strings.HasSuffix(lead, "theyre")
		long := enMore.in(after) || strings.Contains(after, " for ") || strings.Contains(after, "since") || strings.HasSuffix(lead, "now") || r.moving
		return isName(v) && being && long && len(strings.Fields(v)) < 4 && r.add(subject, Place, v, false)
	})
}

// animalAfter returns the animal at the start of a text.
func animalAfter(s *sentence, after string) string {
	text := strings.TrimLeft(s.text[len(s.text)-len(after):], " ")
	for again := true; again; {
		if text, again = cutFold(text, "a ", "an ", "the ", "my ", "our ", "another "); !again {
			low := lower(text)
			if w, _ := enAdjectives.begins(low); w != "" && len(w) < len(text) && text[len(w)] == ' ' {
				text, again = text[len(w)+1:], true
			}
		}
	}
	low := lower(text)
	before, w, rest := enAnimals.find(low)
	if w == "" || len(strings.Fields(before)) > 2 || strings.ContainsAny(before, ",.'") || enStops.in(before) || enPersons.in(before) {
		return ""
	}
	for { // the last animal of beagle puppy
		next := strings.TrimLeft(rest, " ")
		more, _ := enAnimals.begins(next)
		if more == "" {
			break
		}
		rest = next[len(more):]
	}
	if enNoPet.begin(strings.TrimSpace(rest)) {
		return ""
	}
	return strings.TrimSpace(text[:len(text)-len(rest)])
}

func (r *englishReader) enPets(s *sentence) bool {
	if r.each(s, enOwn, func(subject, before, w, after string) bool {
		v := animalAfter(s, after)
		if v == "" || negated(before) || w == "new" && !strings.Contains(s.low, "home") && !strings.Contains(s.low, "meet") || (w == "theres a" || w == "there is a") && !strings.Contains(after, "my") && !strings.Contains(after, "our") {
			return false
		}
		return r.add(subject, Pet, v, false)
	}) {
		return true
	}
	for from := 0; ; {
		before, w, after := enMine.find(s.low[from:])
		if w == "" {
			break
		}
		if v := animalAfter(s, after); v != "" && len(strings.Fields(v)) < 3 {
			return r.add(r.speaker, Pet, v, false)
		}
		from += len(before) + len(w)
	}
	if r.newPet && len(s.all) == 0 { // new family member: a rabbit
		if v := animalAfter(s, s.low); v != "" && r.subject != "" {
			return r.add(r.subject, Pet, v, false)
		}
	}
	r.newPet = r.newPet || enNewPet.in(s.low)
	if before, w, _ := enAnimals.find(s.low); w != "" && strings.HasSuffix(strings.TrimSpace(before), "new") && strings.Contains(s.low, "home") && len(s.all) == 0 {
		v := animalAfter(s, s.low[len(before):])
		return v != "" && r.subject != "" && r.add(r.subject, Pet, v, false)
	}
	return false
}

// enTopics stand before what a sentence is about.
var enTopics = setOf(" for beat beats about with of")

// thing returns the value after a word of liking, which may be it.
func (r *englishReader) thing(s *sentence, after string) string {
	if rest, ok := strings.CutPrefix(after, " it"); ok && (rest == "" || rest[0] == ' ') && r.object != "" {
		return r.object
	}
	return s.value(after)
}

func (r *englishReader) enLikes(s *sentence) bool {
	if r.each(s, enOver, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if v == "" || negated(before) || noHobby.in(lower(v)) || w == "no more" && v == "" {
			return false
		}
		return r.add(subject, Likes, v, true)
	}) {
		return true
	}
	if before, w, _ := enIsOver.find(s.low); w != "" && before != "" {
		if v := s.leftValue(before); v != "" {
			return r.add(r.subjectOr(s), Likes, v, true)
		}
	}
	if r.each(s, enHate, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if v == "" || noHobby.in(lower(v)) || negated(before) {
			return false
		}
		if enMore.in(after) && strings.HasPrefix(w, "can") {
			return r.add(subject, Likes, v, true)
		}
		return r.add(subject, Dislikes, v, false)
	}) {
		return true
	}
	if enFavorite.begin(enLeads.cutAll(s.low)) { // my favorite thing outside of work is chess
		if i := strings.LastIndex(s.low, " is "); i > 0 {
			v := s.value(s.low[i+len(" is"):])
			return v != "" && !noHobby.in(lower(v)) && r.add(r.speaker, Likes, v, false)
		}
	}
	if before, w, _ := enIsLove.find(s.low); w != "" && before != "" {
		if v := s.leftValue(before); v != "" && !strings.HasPrefix(lower(v), "my ") {
			return r.add(r.subjectOr(s), Likes, v, false)
		}
	}
	if r.fanOf(s) {
		return true
	}
	return r.each(s, enLove, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if v == "" || noHobby.in(lower(v)) || (w == "like" || w == "likes") && notLiking.ends(strings.TrimSpace(before)) != "" || !isLiking(w, before) {
			return false
		}
		doubled := w == "get enough of" || w == "live without"
		if doubled == negated(before) {
			return r.add(subject, Likes, v, false)
		}
		if doubled {
			return false
		}
		if enMore.in(after) || strings.Contains(before, "no longer") {
			return r.add(subject, Likes, v, true)
		}
		return r.add(subject, Dislikes, v, false)
	})
}

// notLiking words make like a comparison or a wish.
var notLiking = setOf("|feel|feels|felt|id|would|look|looks|looked|sound|sounds|seems|seem|smell|taste|tastes|act|acts|just|be|is|was|its|are|were|something|stuff|things|more|i was|im|shes|hes|theyre|they were|-i just")

var enFavorite = setOf("|my favorite|my favourite|my fav|my fave|favorite thing|favourite thing|favorite hobby|favourite hobby|my hobby|my passion|my guilty pleasure|my obsession|my new obsession|my thing|my jam|-my favorite color|-my favourite colour")

// isLiking rejects into of moved into.
func isLiking(w, before string) bool {
	if w != "into" {
		return true
	}
	last := before
	if i := strings.LastIndexByte(strings.TrimSpace(before), ' '); i >= 0 {
		last = strings.TrimSpace(before)[i+1:]
	}
	switch strings.TrimSpace(last) {
	case "moved", "ran", "run", "bumped", "log", "logged", "look", "looking", "turned", "walked", "broke", "settled", "get", "hopped", "dive", "move", "put", "went":
		return false
	}
	return true
}

// subjectOr returns the last person of a sentence, or that of the one before.
func (r *englishReader) subjectOr(s *sentence) string {
	if len(s.all) > 0 && s.all[0].id != "" {
		return s.all[0].id
	}
	if r.subject == "" {
		return r.speaker
	}
	return r.subject
}

// leftValue returns the value before a cue.
func (s *sentence) leftValue(before string) string {
	text := strings.TrimSpace(s.text[:len(before)])
	for {
		low := lower(text)
		w, _ := enLeads.begins(low)
		if w == "" || len(w) >= len(text) || text[len(w)] != ' ' {
			break
		}
		text = strings.TrimLeft(text[len(w):], " ")
	}
	for again := true; again; {
		text, again = cutEndAny(text, []string{" just", " really", " honestly", " kinda", " simply", " now", " totally", " always", " is", " has"})
	}
	v := englishValue(text)
	if len(strings.Fields(v)) > 3 || noHobby.in(lower(v)) || enPersons.begin(lower(v)) {
		return ""
	}
	return v
}

// fanOf reads i'm a huge chess fan.
func (r *englishReader) fanOf(s *sentence) bool {
	before, w, after := enFan.find(s.low)
	if w == "" || strings.HasPrefix(strings.TrimSpace(after), "of") {
		return false
	}
	for _, head := range [...]string{"im a ", "im an ", "i am a ", "is a ", "'s a ", "such a ", "a total ", "a big ", "a huge ", "huge ", "big ", "certified ", "total ", "massive ", "hardcore ", "lifelong ", "full-blown "} {
		i := strings.LastIndex(before, head)
		if i < 0 {
			continue
		}
		text := s.text[i+len(head) : len(before)]
		for again := true; again; {
			text, again = cutFold(text, "huge ", "big ", "massive ", "total ", "real ", "certified ", "hardcore ", "proud ", "lifelong ", "serious ", "such a ", "major ", "full-blown ", "bit of a ")
		}
		v := englishValue(strings.TrimSpace(text))
		subject, ok := r.enSubject(s, i+len(head))
		if !ok && len(s.all) == 0 {
			subject, ok = r.subject, true
		}
		if v != "" && ok && len(strings.Fields(v)) < 4 && !noHobby.in(lower(v)) {
			return r.add(subject, Likes, v, false)
		}
	}
	return false
}

// noHobby words are in what nobody likes for long.
var noHobby = setOf("|song|songs|video|clip|meme|message|option|idea|way|look|sound|error|job|work|it|life|place|gig|today|monday|mondays|that|this|them|you|people|boss|manager|there|my job|weekend|weekends|bug|meeting|meetings|smoking|phase|update|patch")
