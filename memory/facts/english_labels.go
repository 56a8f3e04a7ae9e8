package facts

import (
	"strings"
)

// question keeps what a question is about, for an answer to it: "Chess? Not anymore", "New job? Tesco".
func (r *englishReader) question(one, low string) {
	if r.asked = enLabel(low); r.asked != "" {
		return
	}
	if n := len(strings.Fields(one)); n < 5 && !enAsks.begin(low) {
		r.object = englishValue(one)
	}
	if v := planValue(one); len(strings.Fields(v)) > 1 && !enAsks.begin(low) {
		r.planned = v
	}
	if v := planIn(one, low); v != "" { // what about my plan to move? That's not happening
		r.planned = v
	}
}

// enLabel returns what a short text before a colon or question mark announces.
func enLabel(low string) Relation {
	_, w, after := enLabelWords.findLast(low)
	if w == "" || !enOwnLabel.in(low) && !enPlanLabels.is(w) && w != low || enIsIt.in(low) || len(strings.Fields(after)) > 4 || len(strings.Fields(low)) > 8 || enBirth.in(low) {
		return ""
	}
	switch {
	case enJobLabels.is(w):
		return Job
	case enPlaceLabels.is(w):
		return Place
	case enPlanLabels.is(w):
		return Plan
	}
	return Likes
}

var (
	enJobLabels   = setOf("|working life update|work update|job news|career news|job front|role|title|job|where i work|i work|my work|employer|workplace|company|gig|position|career|occupation|profession|do for a living|do for work|got hired|got the job|new boss")
	enPlaceLabels = setOf("|city|address|home|hometown|location|based|living|live|moved|moving|base")
	enPlanLabels  = setOf("|plan|plans|goal|goals|resolution|bucket list|to do list|to-do list|next up|mission|on my list|on the list|on the agenda|decision made|not happening|cancelled|canceled|called off")
	enLikeLabels  = setOf("|hobby|hobbies|obsession|passion|favorite thing|favourite thing|fav|fave|favorite|favourite|addiction|weakness|guilty pleasure|do i like|do i love|am i into|into|in my spare time|free time")
	// enOwnLabel words make a label one of the speaker.
	enOwnLabel   = setOf("|moved|sweet|change|update|my|our|new|current|guess|latest|next|do i|i work|i live|i got|first|big")
	enIsIt       = setOf("|does|is it|work for|didnt|doesnt|not|cant|should|can|has|your|u|you")
	enLabelWords = unionOf(enJobLabels, enPlaceLabels, enPlanLabels, enLikeLabels)
)

// enNewJob words tell of a change, and the firm or occupation may follow alone.
var enNewJob = setOf("|new job|new gig|got the job|got a job|job hunt|changed jobs|switched jobs|changed careers|switched careers|career change|career switch|landed the job|landed a job|job update|hired|new position|new role|new employer|my job|old job|old gig|next job")

// enPraise words begin what is no name.
var enPraise = setOf("|way to go|good|great|thanks|thank|congrats|congratulations|nice|well|wow|cool|happy|hope|hey|hi|sorry|remember|keep|let|trying|working|back|see|just|yay|finally|first|more|wish")

// enFromIn stand before a place.
var enFromIn = setOf(" from in to")

// enMoving words tell that somebody moves house.
var enMoving = setOf("|moved|moving|relocated|relocating|relocation|new city|new town|new home|new house|new apartment|new flat|new address|unpacking|unpacked|the move|movers|boxes")

// enTopics stand before what a sentence is about.
var enTopics = setOf("|beat|beats|me for|in for|up for|out for|with me and")

// answer reads what follows a label or a question.
func (r *englishReader) answer(s *sentence) bool {
	if len(s.all) > 0 && !s.all[0].me || r.subject == "" || len(strings.Fields(s.text)) > 6 {
		return false
	}
	bare := s.text[len(s.low)-len(enLeads.cutAll(s.low)):]
	bare, its := cutFold(bare, "its ", "it is ", "thats ")
	if v, ok := strings.CutSuffix(s.low, " it is"); ok { // Landed the job! Lidl it is
		v = s.text[:len(v)]
		switch {
		case r.aboutJob || r.asked == Job:
			return r.add(r.subject, Job, englishValue(v), false)
		case r.moving || r.asked == Place:
			return r.add(r.subject, Place, englishValue(v), false)
		}
	}
	if v := properName(bare); its && v != "" && r.asked == "" && enMore.in(s.low) { // I moved, it's Leeds now
		switch {
		case r.aboutJob:
			return r.add(r.subject, Job, v, false)
		case r.moving:
			return r.add(r.subject, Place, v, false)
		}
	}
	short := len(strings.Fields(bare)) < 4
	switch {
	case r.asked == Job || r.asked == "" && r.aboutJob && short && enNewJob.in(r.whole):
		if v := properName(bare); v != "" && len(v) > 1 && r.names.Meant(v) == "" && !enPraise.begin(s.low) && len(strings.Fields(bare[len(v):])) < 3 && !enNoFirm.begin(s.low) {
			return r.add(r.subject, Job, v, false)
		}
		if role := roleOf(bare, false); role != "" {
			return r.add(r.subject, Job, role, false)
		}
	case r.asked == Place && isName(bare):
		return r.add(r.subject, Place, properName(bare), false)
	case r.asked == Plan && len(strings.Fields(bare)) > 1:
		return r.add(r.subject, Plan, planValue(bare), false)
	case r.asked == Likes && short:
		v := englishValue(bare)
		return !noHobby.in(lowerASCII(v)) && r.add(r.subject, Likes, v, false)
	}
	return false
}
