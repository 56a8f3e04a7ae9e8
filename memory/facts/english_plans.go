package facts

import (
	"strings"
)

// planValue cleans a plan.
func planValue(text string) string {
	text = strings.TrimLeft(text, " \"")
	low := lowerASCII(text)
	if before, w, _ := enBreaks.find(low); w != "" && before != "" {
		text = text[:len(before)]
	}
	for before := ""; before != text; {
		before = text
		text = strings.Trim(text, " .!~*\"'-")
		if w := enTails.ends(lowerASCII(text)); w != "" && len(w) < len(text) && text[len(text)-len(w)-1] == ' ' {
			text = text[:len(text)-len(w)]
		}
		text = cutTime(text)
	}
	for again := true; again; {
		text, again = cutFold(text, "finally ", "actually ", "just ", "try to ", "probably ", "definitely ", "try and ", "totally ", "also ", "go and ", "maybe ", "really ", "still ", "eventually ", "seriously ", "properly ", "at last ", "start to ", "get to ", "be able to ", "go ahead and ", "officially ")
	}
	low = lowerASCII(text)
	if n := len(strings.Fields(text)); n == 0 || n > 9 || n < 2 && len(text) < 5 || enTrivial.begin(low) || enPronouns.in(low) {
		return ""
	}
	return text
}

// enPronouns are in what is no plan without its context.
var enPronouns = setOf(" it this that them not you u ur your")

// planIn returns the plan that a text tells of, or "".
func planIn(text, low string) string {
	_, w, after := enPlan.findLast(low)
	if w == "" {
		if _, w, after = enPlanNouns.findLast(low); w == "" {
			return ""
		}
	}
	return planValue(text[len(text)-len(after):])
}

func (r *englishReader) enPlanEnd(s *sentence) bool {
	if r.planned != "" && (enOff.in(s.low) || enCalledOff.in(s.low) || enWont.in(s.low)) && !enPlan.in(enWontOff(s.low)) { // not happening
		v := r.planned
		r.planned = ""
		return r.add(r.subjectOr(s, 0), Plan, v, true)
	}
	if r.eachPlan(s, func(subject, before, w, after string) bool {
		rest := after
		if v, w, _ := enVerdicts.find(after + " "); w != "" && strings.TrimSpace(v) != "" { // my plan to … is off
			after = after[:min(len(v), len(after))]
		}
		off := enDropped.in(lastWords(before, 7)) || enCalledOff.in(rest) || enOff.in(rest[len(after):])
		if v := planValue(s.part(after, rest)); v != "" && off {
			return r.add(subject, Plan, v, true)
		} else if v != "" && enMine.in(before) {
			r.planned = v // so, about my plan to move: it's off
		}
		return false
	}) {
		return true
	}
	if r.each(s, enPlan, func(subject, before, w, after string) bool {
		trimmed := enAdverbsEnd(before)
		switch {
		case negated(before) && enUndecided.ends(trimmed) == "", enDoubts.in(lastWords(before, 5)),
			enWas.ends(trimmed) != "" && (enSure.is(w) || r.off), enPastPlan.is(w) && (r.off || enSaid.is(w)):
			v := planValue(s.tail(after))
			return v != "" && r.add(subject, Plan, v, true)
		}
		return false
	}) {
		return true
	}
	if r.each(s, enWont, func(subject, before, w, after string) bool {
		v := planValue(s.tail(after))
		if v == "" || enWeakWont.is(w) && !enOff.in(before) && !enOff.in(after) && !r.off && !enForNow.in(after) {
			return false
		}
		if care, _ := enNoCare.begins(lowerASCII(v)); care != "" && strings.HasPrefix(w, "c") { // can't do chess anymore
			r.add(subject, Likes, englishValue(v[len(care):]), true)
		}
		return r.add(subject, Plan, v, true)
	}) {
		return true
	}
	if before, w, _ := enCalledOff.find(s.low); w != "" && before != "" && !enMyThe.begin(s.low) { // learn Spanish is off the table
		lead := len(before) - len(enLeads.cutAll(before))
		if v := planValue(s.text[lead:len(before)]); len(strings.Fields(v)) > 1 && !enPersons.begin(lowerASCII(v)) && !enPhase.in(v) {
			return r.add(r.subjectOr(s, 0), Plan, v, true)
		}
	}
	return false
}

// eachPlan is each for words for a plan, whose owner may only be in my: forget my plan to move.
func (r *englishReader) eachPlan(s *sentence, read func(subject, before, w, after string) bool) bool {
	before, w, after := enPlanNouns.find(s.low)
	if w == "" {
		return false
	}
	subject, ok := r.enSubject(s, len(before))
	if _, is := lastMention(s.all, len(before)); !ok && !is && (enMine.in(before) || strings.HasSuffix(before, "the ")) {
		subject, ok = r.speaker, true
	}
	return ok && read(subject, before, w, after)
}

// enWontOff removes words that only deny.
func enWontOff(low string) string {
	if _, w, after := enWont.find(low); w != "" {
		return after
	}
	return low
}

// part returns the start of a text after a cue, in the case of the sentence.
func (s *sentence) part(after, rest string) string {
	from := len(s.text) - len(rest)
	return s.text[from : from+len(after)]
}

// lastWords returns at most n words from the end of a text.
func lastWords(text string, n int) string {
	text = strings.TrimRight(text, " ")
	for i := len(text); ; n-- {
		if i = strings.LastIndexByte(text[:i], ' '); i < 0 {
			return text
		} else if n == 1 {
			return text[i+1:]
		}
	}
}

func (r *englishReader) enPlan(s *sentence) bool {
	if r.each(s, enPlan, func(subject, before, w, after string) bool {
		v := planValue(s.tail(after))
		trimmed := enAdverbsEnd(before)
		switch low := lowerASCII(v); {
		case v == "" || negated(before) || enWas.ends(trimmed) != "" || enPastPlan.is(w) && w != "wanted to":
			return false
		case (w == "going to" || w == "will") && strings.HasPrefix(low, "the "):
			return false
		case enLater.is(w) && !enLifeVerbs.begin(low) && !enWhen.in(s.low) && !enDecided.in(r.whole): // I'll check
			return false
		case enLiving.begin(low) && enSomeday.in(s.low): // a dream
			return false
		case enStarts.begin(low): // going to start at Nokia
			return false
		}
		return r.add(subject, Plan, v, false)
	}) {
		return true
	}
	if before, w, after := enGoalIs.findLast(s.low); w != "" && enMine.in(before) && enGoals.in(before) && len(s.all) == 0 { // my new year's resolution is to …
		if v := planValue(s.tail(after)); v != "" {
			return r.add(r.speaker, Plan, v, false)
		}
	}
	return r.eachPlan(s, func(subject, before, w, after string) bool {
		v := planValue(s.tail(after))
		return v != "" && !strings.HasSuffix(w, " of") && !negated(before) && enHavePlan.ends(enAdverbsEnd(before)) != "" && r.add(subject, Plan, v, false)
	})
}

var (
	enPlan = setOf("|into my head to|in my head to|would like to|would love to|id like to|id love to|gonna|gunna|going to|fixing to|fixin to|plan to|plans to|planning to|planning on|plan on|plan is to|plan now is to|planned to|want to|wanna|wants to|wanted to|decided to|decided im gonna|decided im going to|decided ill|chosen to|chose to|resolved to|intend to|intends to|intended to|intending to|hoping to|hope to|hoped to|looking to|saving up to|saving to|saving money to|thinking ill|thinking of|thinking about|thinking i might|think ill|think im gonna|think im going to|figured id|thought id|said id|meant to|i will|ill|will|shall|about to|goal is to|goals is to|plans is to|really like to|really love to|absolutely love to|thought i would|said i would|goal rn is to|goal now is to|goal this year is to|goal for this year is to|dream is to|aim is to|idea is to|resolution is to|mission is to|next up is to|signed up to|set to|aiming to|aim to|trying to|determined to|ready to|committed to|gearing up to|prepping to|preparing to|getting ready to|training to|considering|finally going to|mission to|on a mission to|made up my mind to|made up my mind that ill|mind is set to|mind made up to|my mind on|heart set on|pumped to|psyched to|hyped to|itching to|dying to|keen to|eager to|excited to|cant wait to|supposed to|vowed to|swore to|promised myself to|promised myself id|promised myself ill|gotta|next step is to|bucket list is to|working up the courage to|counting down till i|counting down until i")
	// enPastPlan cues tell of a plan of the past.
	enPastPlan  = setOf("|thought i would|said i would|wanted to|intended to|planned to|hoped to|meant to|figured id|thought id|said id|supposed to")
	enPlanNouns = setOf("|plan to|plans to|plan of|plans of|idea to|idea of|ideas of|goal to|goal of|goals to|dream to|resolution to|intention to|intention of|hopes of|hope of|quest to|mission to|project to|attempt to|attempts to|trying to|scheme to|ambition to|desire to|vow to|promise to|thought of|wanting to")
	enGoalIs    = setOf("|is to|is now to|is still to|are to|has always been to|has been to|will be to")
	enGoals     = setOf(" list plan plans goal goals dream dreams aim resolution idea mission ambition project wish hope step move thing")
	enHavePlan  = setOf(" have has made got new big my a")
	enSaid      = setOf("|said id|thought id|figured id|thought i would|said i would")
	// enWas words before a cue make it a plan of the past.
	enWas = setOf("|was|we were|they were|you were|had|had been|id been|used to|was all|were all|was totally|was so|had big|had a|had my")
	// enSure cues tell of a plan that was given up, if they are in the past.
	enSure      = setOf("|gonna|gunna|going to|planning to|planning on|hoping to|plan to|looking to|set to|all set to|about to|saving up to|aiming to|ready to")
	enUndecided = setOf("|why not|might not|whether or not")
	enDoubts    = setOf("|dont think|doubt|no way|no chance|unlikely|dont see|cant see|dont believe|doesnt look like|not looking like|isnt looking like|doesnt seem like|theres no way|not sure ill ever|not happening")
	// enWont cues deny what follows.
	enWont     = setOf("|theres no way i can|theres no way ill|no way i can|no way i could|plan was to|idea was to|goal was to|not in a position to|in no position to|rather not|wont|will not|wont be able to|wont get to|wont be going to|will no longer|will never|not able to|unable to|not allowed to|no longer able to|no longer need to|dont need to|didnt get to|decided not to|decided i wont|decided against|chose not to|chosen not to|opted not to|opted out of|elected not to|resolved not to|backed out of|backing out of|bailed on|bailing on|called off|calling off|pulled out of|dropped out of|talked myself out of|talked me out of|chickened out of|passing on|aint gonna|isnt gonna|isnt going to|no point in trying to|forget trying to|cant afford to|cannot afford to|couldnt afford to|cant|cannot|can not|couldnt|was gonna|were gonna|was going to|were going to")
	enForNow   = setOf("|this year|this summer|this winter|this fall|this spring|this month|in the end|right now|now|at the moment|for now|anytime soon|any time soon")
	enWeakWont = setOf("|plan was to|idea was to|goal was to|cant|cannot|can not|couldnt|said id|dont need to|not able to|unable to|not allowed to|dont wanna|dont want to|never gonna|never going to|no longer need to")
	// enDropped words before a plan call it off.
	enDropped = setOf("|changed my mind about|cancel|postpone|abandon|shelve|pause|gave up|giving up|given up|give up|dropped|dropping|drop|ditched|ditching|scrapped|scrapping|scrap|shelved|shelving|binned|abandoned|abandoning|canned|axed|nixed|killed|cancelled|canceled|cancelling|canceling|postponed|postponing|let go of|called off|calling off|trashed|tossed|put off|putting off|pausing|paused|put on hold|on hold|parked|lost|losing|threw out|threw away|quit|stopped|changed my mind about|changed my mind on|decided against|backed out|bailed|talked myself|talked me|chickened|pulled|rip|so much for|there goes|there go|goodbye|bye|bye bye|farewell|forget|no more|no longer|not|dont have|no|never mind|nvm|scratch|cross off|crossed|off my list|over my|done with|out with|walked away from|retired|reconsidered|rethinking|dead|off|sank|buried|burying")
	// enVerdicts follow a plan and tell how it went.
	enVerdicts = setOf("|to rest|on ice|on the back burner|aside| is | has | have | fell | got | gets | went | goes | didnt | isnt | wasnt | wont | came | just | died | was | are | were | arent | collapsed | crashed | flopped | fizzled | failed | sadly | unfortunately | officially | down the | up in | out the | bit the | hit a | will have | may have | never | no longer | on hold | cancelled | canceled | postponed | anymore")
	// enCalledOff words follow a plan that is off.
	enCalledOff = setOf("|-is off to|-are off to|to rest|on ice|on the back burner|-is dead to me|-are dead to me|-is dead to us|is off|are off|thats off|its off|is not happening|isnt happening|not happening|is no longer happening|aint happening|wont happen|wont be happening|will not happen|is cancelled|is canceled|got cancelled|got canceled|was cancelled|was canceled|has been cancelled|has been canceled|been called off|is called off|got called off|was called off|fell through|falls through|fallen through|fell apart|off the table|is on hold|on hold|is postponed|got postponed|no longer on|is scrapped|got scrapped|been scrapped|is dead|is toast|is history|is over|is a no go|is a no-go|is no more|out of the question|didnt work out|didnt pan out|didnt happen|went nowhere|down the drain|out the window|up in smoke|bit the dust|off my list|off the list|is shelved|got shelved|been shelved|is dropped|got axed|came to nothing|collapsed|fizzled out|flopped|died|is gone|wasnt meant to be|isnt meant to be|had to be cancelled")
	// enLater cues need a time or a decision.
	enLater   = setOf("|ill|will|i will|shall")
	enWhen    = setOf("|this|next|in|once|after|when|soon|before|by|someday|one day|some day|eventually|finally|starting|until|come|over the|for my|tomorrow|tonight|at last|year|summer|winter|spring|fall")
	enDecided = setOf("|settled|decided|made up my mind|mind|promise|promised|swear|swore|yes|yeah|definitely|plan|goal|resolution|official|officially|its happening|happening|i said|fine|finally|thinking|no excuses|determined|big news|wish me luck|count on it|mark my words|saving|saved up|dream|news")
	// enLifeVerbs begin plans that matter.
	enLifeVerbs = setOf("|learn|buy a|buy an|buy my|buy our|visit|travel|run a|run the|build a|build an|build my|write a|write my|quit|hike|sell my|sell the|sell our|open a|open my|train for|study|apply|move out|renovate|remodel|dye|adopt|climb|walk the|take a|take the|take up|take piano|go to|go vegan|go back|get a|get my|get married|start a|start my|become|volunteer|retake|retire|paint|plant|knit|sail|bike|drive|make a|switch to|join a|lose|save|see the|finish|publish|record|swim|ride|cycle|backpack|road trip|homeschool|foster|launch|host|teach|audition|enroll|graduate|major|propose|redecorate|repaint")
	enLiving    = setOf("|live in|move to|be in|own|buy an island|rule")
	enSomeday   = setOf("|one day|someday|some day|would love to|would like to|id love to|hopefully")
	enStarts    = setOf("|be working|start working|be joining|join|be starting|start at|start my new job|work at|work for|be at|be moving|be living|be a|start as|be interning|begin at|begin working|report to")
)
