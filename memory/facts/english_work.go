package facts

import (
	"slices"
	"strings"
)

// firm returns the name of a firm after a cue: Tesco, the county library.
func (s *sentence) firm(after string) string {
	text := s.tail(after)
	for again := true; again; {
		text, again = cutLower(text, "a ", "an ", "my ", "our ", "this ", "that ", "some ", "good old ", "new ", "local ", "you guessed it ", "none other than ", "of all places ", "with ", "at ")
	}
	rest, the := cutFold(text, "the ")
	article := text[:len(text)-len(rest)]
	if name := properName(rest); name != "" {
		follow := strings.TrimSpace(rest[len(name):])
		if the && !enCrowd.begin(lowerASCII(follow)) {
			return article + name
		}
		return name
	}
	if rest == "" || isName(rest) || rest[0] >= '0' && rest[0] <= '9' {
		return ""
	}
	low := lowerASCII(rest)
	if before, w, _ := enNameEnds.find(low); w != "" {
		rest = strings.TrimSpace(rest[:len(before)])
	}
	if before, w, _ := enStops.find(lowerASCII(rest)); w != "" && before != "" {
		rest = rest[:len(before)]
	}
	v := englishValue(rest)
	if v == "" || enNoFirm.begin(lowerASCII(v)) || len(strings.Fields(v)) > 4 {
		return ""
	}
	if the {
		return article + v
	}
	return v
}

var (
	// enCrowd words follow the name of a firm that has an article only because of them: the Tesco team.
	enCrowd    = setOf("|team|crew|family|staff|gang|squad|job|gig|position|role|store|shop|branch|location|office|offices|warehouse|call center|restaurant|cafe|plant|factory|site|campus|headquarters|hq|in|on|near|nearby|by|down|downtown|over|across|next|around|at|off|out|up|here")
	enNameEnds = setOf("|to|in|near|nearby|downtown|by|over|down|up|where|doing|making|selling|which|until|again|full time|full-time|part time|part-time|who|first|starting|started|as|or so|or something|instead|off|out|across")
	enNoFirm   = setOf("|home|bed|night|noon|midnight|least|once|all|first|last|the same|times|lunch|dawn|work|best|worst|game|lobby|guild|group|chat|server|team speak|match|raid|voice|call|party|being|becoming|making|getting|keeping|doing|me|it|you|us|them|him|her|fun|now|free|nothing|noob|same|different|new job|another|better|half|place|job|full|part|moment|end|start|beginning|time|door|gym|beach|movies|bathroom|dentist|top|bottom|right time")
	enNoFirmAt = setOf("|home|the moment|the gym|the beach|the store|the mall|the movies|the hospital|the doctor|the dentist|the airport|the bathroom|the time|the end|the same|the start|the beginning|the party|the door|the bar|the pub|the park|the game|the vet|school|class|church")
)

func (r *englishReader) enJob(s *sentence) bool {
	return r.enFirm(s) || r.enLeave(s) || r.enRole(s)
}

// enLeave reads that somebody has no job any more.
func (r *englishReader) enLeave(s *sentence) bool {
	return r.each(s, enLeft, func(subject, before, w, after string) bool {
		old := slices.ContainsFunc(r.claims, func(c Claim) bool { return c.Subject == subject && c.Relation == Job }) && enOld.in(s.low) // of I'm at Tesco, left my old job
		return !negated(before) && !former(before) && !old && r.add(subject, Job, "", true)
	})
}

// enFirm reads where somebody works.
func (r *englishReader) enFirm(s *sentence) bool {
	if r.firm != "" && enThereNow.in(s.low) && len(s.all) > 0 && s.all[0].id != "" && !negated(s.low[:s.all[0].end]) { // I met Alice at Tesco, she works there now
		return r.add(s.all[0].id, Job, r.firm, false)
	}
	return r.hired(s) || r.swapped(s) || r.worksAt(s) || r.gotJob(s) || r.isWith(s) || r.isAt(s)
}

// worksAt reads "I work at Tesco" and "joined Tesco".
func (r *englishReader) worksAt(s *sentence) bool {
	return r.each(s, enWork, func(subject, before, w, after string) bool {
		if lead := lastWords(before, 4); enLeftIt.in(lead) && !enThen.in(lead) && enJobNouns.in(w) { // quit my job at Tesco
			return r.add(subject, Job, "", true)
		}
		v := s.firm(after)
		switch {
		case strings.HasPrefix(w, "work") && !s.works(w, before), enWorkIn.is(w) && (len(s.all) == 0 || enNoPlace.is(lowerASCII(v))), w == "join" && len(s.all) == 0, w == "now with" && !s.being(before) && before != "", w == "works out of" && !isName(v), !isName(v) && strings.ContainsAny(v, "/\\:<>.=+_0123456789"):
			return false
		case enNotYet.in(lastWords(before, 4)), strings.HasPrefix(w, "switch") && enNoPlace.is(lowerASCII(v)):
			return false
		case v == "" || former(before) || (w == "worked at" || w == "worked for") && !perfect(before) && !enMore.in(after):
			return false
		case negated(before):
			return (enMore.in(after) || strings.Contains(before, "no longer")) && isName(v) && r.add(subject, Job, "", true)
		case enVague.is(w) && !isName(v), enWorkIn.is(w) && (!isName(v) || enCities.is(lowerASCII(v))):
			return false
		case enGotInto.is(w) && (!isName(v) || !enNews.in(r.whole)):
			return false
		case enSwitched.is(w) && enNewly.in(s.low):
		case enNeedsJob.is(w) && !r.aboutJob && !enJobNews.in(s.low) && (subject == r.speaker || w == "went to" || w == "off to"):
			return false
		}
		return r.add(subject, Job, v, false)
	})
}

// gotJob reads "landed that Tesco job" and "got a nurse job".
func (r *englishReader) gotJob(s *sentence) bool {
	return r.each(s, enGot, func(subject, _, got, after string) bool {
		text := s.tail(after)
		for again := true; again; {
			text, again = cutFold(text, "the ", "that ", "a ", "an ", "my ", "this ", "new ", "first ", "dream ", "summer ", "full-time ", "part-time ", "full time ", "part time ", "great ", "little ")
		}
		lead, w, _ := enJobNouns.find(lowerASCII(text))
		v := strings.TrimSpace(text[:len(lead)])
		if w == "" || v == "" || len(strings.Fields(v)) > 3 || enPersons.in(lead) {
			return false
		}
		if name := properName(v); name != v && enCrew.is(w) || name == v && enDo.is(got) {
			return false
		} else if name == v {
			return r.add(subject, Job, v, false)
		}
		role := roleOf(v, false)
		return role != "" && r.add(subject, Job, role, false)
	})
}

// isWith reads "I'm with Tesco now".
func (r *englishReader) isWith(s *sentence) bool {
	return r.each(s, enWith, func(subject, before, w, after string) bool {
		v := s.firm(after)
		since := strings.Contains(before, "starting") || strings.Contains(after, "since") || strings.Contains(after, "nowadays") || strings.Contains(after, "these days") || strings.Contains(after, " years") || strings.Contains(after, " months")
		return (isName(v) || strings.HasPrefix(v, "the ")) && r.names.Meant(v) == "" && enBeing.ends(enAdverbsEnd(before)) != "" && (r.aboutJob || enJobNews.in(r.whole) || since || subject != r.speaker && enMore.in(s.low)) && r.add(subject, Job, v, false)
	})
}

// isAt reads "I'm at Tesco now" and "the register at Tesco".
func (r *englishReader) isAt(s *sentence) bool {
	return r.each(s, enAt, func(subject, before, w, after string) bool {
		v := s.firm(after)
		the := strings.HasPrefix(v, "the ") && !enNoFirmAt.is(v)
		if v == "" || !isName(v) && !the || enNoFirmAt.begin(v) || former(before) || negated(before) || enUsed.in(before) || enEvents.in(s.afterMention(before)) {
			return false
		}
		if enJobWords.in(before) || enStrongJob.in(r.whole) || endsCounted(before) { // the register at Tesco
			return r.add(subject, Job, v, false)
		}
		being := enBeing.ends(enAdverbsEnd(before)) != ""
		known := subject != r.speaker || enMore.in(after) || strings.Contains(before, "now") || strings.Contains(before, "been") || strings.Contains(s.low, "job") || r.aboutJob
		if the && strings.HasSuffix(strings.TrimSpace(before), "been") && enYears.in(after) { // I've been at the library for six years
			return r.add(subject, Job, v, false)
		}
		return isName(v) && being && known && r.add(subject, Job, v, false)
	})
}

// afterMention returns what follows the last person in a text from the start of a sentence.
func (s *sentence) afterMention(before string) string {
	if m, ok := lastMention(s.all, len(before)); ok && m.end < len(before) {
		return before[m.end:]
	}
	return before
}

// works reports whether a person does the work of a cue: I work at, and not: the drivers work for.
func (s *sentence) works(w, before string) bool {
	if strings.HasPrefix(w, "working") {
		trimmed := enAdverbsEnd(before)
		end := enWorking.ends(trimmed)
		return end != "" && insideWordStart(trimmed, end) || s.adjacent(before) || plainEnLead(before)
	}
	return s.adjacent(before)
}

// endsCounted reports whether a text ends with a day or week that is counted: day 3, third week.
func endsCounted(before string) bool {
	first, second, _ := strings.Cut(lastWords(before, 2), " ")
	return enOrdinals.is(first) && enCounted.is(second) || enCounted.is(first) && (isDigits(second) || enNumbers.is(second))
}

// hired reads what a firm does to somebody: Tesco hired me.
func (r *englishReader) hired(s *sentence) bool {
	for from := 0; from < len(s.low); {
		before, w, after := enHired.find(s.low[from:])
		if w == "" {
			return false
		}
		at := from + len(before)
		from = at + len(w)
		v := strings.Trim(leftName(s.text[:at]), " .\"")
		if v == "" || r.names.Meant(v) != "" || enNoFirm.begin(v) {
			continue
		}
		subject := r.speaker
		if !enOfMine.is(w) {
			rest := after
			if subject, rest = r.receiver(s, after); subject == "" || enMaybeHired.is(w) && !enTerms.begin(strings.TrimLeft(rest, " ")) && !(r.aboutJob && strings.HasPrefix(rest, " up")) {
				continue
			}
		}
		if enStaff.is(w) { // I'm a Tesco employee now
			head := strings.TrimSpace(s.low[:len(strings.TrimRight(s.low[:at], " "))-len(v)])
			ok := false
			if subject, ok = r.enSubject(s, len(head)); !ok || head != "" && enArticles.ends(enAdverbsEnd(head)) == "" && !plainEnLead(head) {
				continue
			}
		}
		return r.add(subject, Job, v, false)
	}
	return false
}

// swapped reads a change from one firm or city to another: left Tesco for Lidl.
func (r *englishReader) swapped(s *sentence) bool {
	return r.each(s, enSwaps, func(subject, before, w, after string) bool {
		old := properName(s.tail(after))
		if mine, _, ok := strings.Cut(s.tail(after), " for "); ok && strings.HasPrefix(mine, "my old ") {
			old = mine
		}
		if old == "" || former(before) || negated(before) {
			return false
		}
		rest := strings.TrimLeft(s.tail(after)[len(old):], " ")
		rest, ok := cutFold(rest, "for ", "to ", "and joined ", "and went to ", "and moved to ", "to join ", "over to ")
		v := properName(rest)
		if !ok || v == "" {
			return false
		}
		switch {
		case r.moving || enCities.is(lowerASCII(old)) || enCities.is(lowerASCII(v)), enHomeWords.in(old), enMoving.in(old), strings.HasSuffix(old, "city"), strings.HasSuffix(old, "town"):
			return r.add(subject, Place, v, false)
		case r.aboutJob || enJobNews.in(s.low) || w == "left" || w == "leaving":
			return r.add(subject, Job, v, false)
		}
		return false
	})
}

var (
	enSwaps = setOf("|left|leaving|traded|trading|swapped|swapping|switched from|switching from|jumped from|hopped from|went from|transferred from|ditched|quit|moved on from|moved over from|changed jobs from")
	enHired = setOf("|pays my rent|pays the rent|is paying my rent|hired|just hired|has hired|have hired|took|has taken|have taken|offered|has offered|gave|has given|have given|employs|picked|chose|accepted|recruited|poached|snapped up|signed|brought|pays|is paying|made|is my new employer|is my employer|is my new workplace|is my workplace|is where i work|is where im working|is where i work now|is my new job|is my new gig|is my day job|signs my paychecks|pays my bills|pays the bills|is paying my bills|employee|staff member|crew member|team member|staffer|said yes to|finally hired|ended up hiring|decided to hire|is hiring|called|-called me")
	// enMaybeHired verbs need what they offer.
	enMaybeHired = setOf("|took|has taken|have taken|offered|has offered|gave|has given|have given|picked|chose|accepted|signed|brought|made|called|pays|is paying")
	enStaff      = setOf("|employee|staff member|crew member|team member|staffer")
	enTerms      = setOf("|on|a job|the job|a position|the position|a role|the role|an offer|the offer|a spot|an internship|a contract|the contract|a chance|a shot|a permanent|full time|part time|full-time|part-time|aboard|in full time|up for|a new|my first|as a|as an|as their|for the job|for a job|for the role|to work|to do")
	enOfMine     = setOf("|pays my rent|pays the rent|is paying my rent|employee|staff member|crew member|team member|staffer|is my new employer|is my employer|is my new workplace|is my workplace|is where i work|is where im working|is where i work now|is my new job|is my new gig|is my day job|signs my paychecks|pays my bills|pays the bills|is paying my bills")

	enWork = setOf("|consult for|consults for|leaving us for|left us for|salary from|wages from|off to|employee at|employee of|chapter at|new chapter at|next chapter is at|deliver for|delivers for|manage at|got into|gotten into|getting into|paycheck comes from|paychecks come from|offer letter from|contract from|offer came from|work over at|works over at|working over at|work down at|works down at|working down at|work out at|works out of|working remotely for|work remotely for|works remotely for|working full-time at|working part-time at|working part time at|working full time at|work full time at|work part time at|works full time at|works part time at|work full-time at|work part-time at|works full-time at|works part-time at|now with|new job is with|job is at|job is with|gig is at|moved on to|work at|works at|working at|worked at|work for|works for|working for|worked for|work in|works in|working in|started at|starting at|start at|starts at|started over at|starting over at|started working at|started working for|start working at|start working for|starting work at|started work at|start work at|begun at|began at|began working at|begin at|begin working at|joined|joining|join|joins|hired at|hired by|hired on at|hired on with|hired over at|taken on at|taken on by|recruited by|poached by|picked up by|snapped up by|job at|job with|job over at|job down at|jobs at|gig at|gig with|gig over at|position at|position with|role at|role with|spot at|internship at|internship with|apprenticeship at|interning at|interning for|intern at|intern for|interned at|offer from|offer at|offer with|yes to|shifts at|shift at|first day at|first day with|first day over at|second day at|day one at|day one with|day 1 at|first week at|first week with|week one at|first month at|first shift at|first paycheck from|switched to|switched over to|switching to|went to|going to work for|going to work at|left for|leaving for|moved over to|moving over to|jumped to|jumped ship to|jumped over to|hopped to|hopped over to|transferred to|transferring to|transferred over to|employed at|employed by|employed with|back at|contract at|contract with|contracting at|contracting for|contracting with|paycheck from|paychecks from|paycheque from|career at|badge at|badge from|badge for|onboarding at|onboarding with|orientation at|signed with|signed on with|signed on at|signed up with|signing with|accepted at|accepted by|new job is|new gig is|new employer is|employer is|employer is now|new workplace is|workplace is|new company is|company is|new boss is|promoted at|clocking in at|clock in at|clocked in at|clocking on at|punching in at|slaving away at|slaving at|grinding at|toiling at|on the payroll at|on payroll at|payroll of|on staff at|on board at|on board with|onboard at|onboard with|on the team at|part of the team at|member of staff at|landed at|landed a spot at|landed on my feet at|found work at|found work with|found a home at|got in at|got on at|got on with|get on at|got a foot in at|hours at|my place at|full time at|full-time at|part time at|part-time at|days at|nights at|career with|years at|years with|months at|months with|a year at|teaching at|teach at|teaches at|cooking at|cook at|cooks at|bartending at|tending bar at|driving for|drive for|drives for|delivering for|deliver for|delivers for|coding at|coding for|code for|developing for|designing for|writing for|stocking shelves at|flipping burgers at|pulling shots at|serving tables at|waiting tables at|on the register at|temping at|temp at|volunteering at|new hire at|newest hire at|newbie at|hire at|crew at|staff at|crew member at|team member at|associate at|intern over at|consulting for|consulting at|freelancing for|freelance for|headhunted by|joined up with|teamed up with|hitched my wagon to|reporting for duty at|desk at|office at|cubicle at|locker at|uniform from|uniform for|lanyard from|swapped jobs to|changed jobs to|moved jobs to|switched jobs to|took a job at|took a job with|took a position at|took a role at|accepted a job at|accepted a role at|accepted a position at|ended up at|wound up at|settled at|settled in at|-work out at")
	// enVague cues need a name.
	enVague   = setOf("|consult for|consults for|leaving us for|left us for|off to|now with|joined|joining|join|joins|switched over to|transferred to|transferring to|transferred over to|jumped to|hopped to|hopped over to|jumped over to|spot at|yes to|driving for|drive for|drives for|writing for|career at|accepted at|accepted by|picked up by|years with|months with|got on with|company is|signed with|signing with|full time at|badge for|moved to work at|staff at|crew at|day two at|day 2 at|hire at|home is now at|volunteering at|teach at|on board with|onboard with")
	enWorkIn  = setOf("|work in|works in|working in")
	enGotInto = setOf("|got into|gotten into|getting into")
	enNews    = setOf("|congrats|congratulations|did you hear|did you all hear|hear|heard|gg|gz|proud of|happy for|w for|job|jobs|first day|hired|offer|guess who|turns out|well done|news|kudos|props|works|working|interview|shoutout|shout out|good for|career|accepted")
	// enNeedsJob cues tell of a firm only if the message is about a job.
	enNeedsJob  = setOf("|off to|moved on to|switched to|switching to|went to|left for|leaving for|ended up at|wound up at|back at|landed at|years at|months at|hours at|days at|nights at|a year at|my place at|uniform for|desk at|office at|signed up with|teamed up with|got in at|got on at|get on at|settled at|settled in at|orientation at|second day at|cook at|cooking at")
	enLeftIt    = setOf("|quit|quitting|left|leaving|lost|resigned|fired|laid off|let go|done with|no more|walked out|stopped|finished|ended")
	enNotYet    = setOf("|applied|applying|apply|interview|interviewing|interviewed|rejected|rejected from|turned down|declined|refused|hoping for|looking for|want|denied|recruiter")
	enOld       = setOf(" old previous last prior former")
	enThen      = setOf(" and then so to")
	enUsed      = setOf("|used to|formerly|previously|ex-|former|lived|grew up|born|years ago")
	enWorking   = setOf("|started|start|been|im|am|is|are|'s|hes|shes|theyre|were|now|keep|kept|love|like|hate|enjoy|stuck|about|busy|be|and|today|currently|days|congrats on")
	enThereNow  = setOf("|works there|working there|work there now|work there|employed there|got a job there|started there|started working there")
	enYears     = setOf("|years|year|months|since")
	enSwitched  = setOf("|switched to|switching to|moved on to|switched over to")
	enNewly     = setOf("|last week|last month|this week|this month|last year|recently|finally|officially|so far|yesterday|today|since|now|on monday|next week|next month|a while ago|ive")
	enOrdinals  = setOf(" first second third fourth fifth sixth last")
	enNumbers   = setOf(" one two three four five six seven ten")
	enStrongJob = setOf("|new job|new gig|first day|first shift|my shift|on shift|got the job|job offer|offer letter")
	enCounted   = setOf(" day week month year shift")
	enNoLonger  = setOf("|no longer|not|dont|doesnt|isnt|aint|never")
	enWith      = setOf(" with")
	enAt        = setOf("|at|over at|down at")
	// enBeing words stand before where somebody is.
	enBeing    = setOf("|im|i am|am|is|are|'s|been|were|theyre|hes|shes|its|now|currently|gig|job|who's|whos|ive been|has been|weve been|based")
	enJobWords = setOf("|payday|my new team|my team|our team|foot in the door|salary|pay rent|pay the rent|pay bills|earns a living|earn a living|lunch break|closing|break room|scheduled|employee|chapter|manage|coworker|phones|security|shelves|groceries|janitor|nurse|boss|work|works|working|job|jobs|shift|shifts|hired|position|role|gig|employed|employee|employment|intern|internship|onboarding|orientation|badge|uniform|started|start|starting|coworkers|colleagues|payroll|contract|offer|promoted|promotion|transferred|career|paycheck|hire|recruited|accepted|clock in|punch in|punching in|clocking in|took me on|taken on|register|counter|desk|warehouse|kitchen|manager|supervisor|cashier|first day|new place|crew|apprentice|apprenticeship")
	enEvents   = setOf("|interview|interviewing|interviewed|applied|applying|apply|shopping|shopped|ordered|order|ate|eating|meeting|met|saw|customer|bought|buying|waiting in line|queue|sale|on sale|check out|lunch|dinner|coffee|friend|friends")
	enGot      = setOf("|on the|part of|landed|got|gotten|scored|snagged|nabbed|bagged|took|accepted|secured|have|has|starting|started|start|begin|began|found|getting|taking|do")
	enJobNouns = setOf("|job|jobs|gig|position|role|offer|internship|apprenticeship|work|spot|contract|uniform|badge|team|crew|family|staff|squad|-job interview|-offer interview|-work out")
	enDo       = setOf(" do does doing")
	enCrew     = setOf(" team crew family staff squad")
	enLeft     = setOf("|-retired to|-retired from|last day at|last shift at|left my job|quit my job|quit the job|quit my old job|quitting my job|lost my job|got fired|got laid off|was fired|was laid off|been laid off|been fired|laid off from|fired from|got let go|was let go|been let go|unemployed|between jobs|in between jobs|quit today|handed in my notice|gave my notice|gave notice|put in my notice|put in my two weeks|gave my two weeks|two weeks notice|left my old job|resigned|out of work|out of a job|jobless|no longer employed|retired|got the boot|got sacked|was sacked|sacked|made redundant|last day of work|walked off the job|no longer work at|no longer work for|no longer at|no longer with|job hunting|job searching|looking for a job|looking for work|looking for a new job|on the job market|stay at home now|my position was cut|lost my position")

	enCities = setOf("|london|paris|tokyo|berlin|madrid|rome|new york|nyc|la|los angeles|san francisco|sf|chicago|boston|seattle|austin|denver|portland|dallas|houston|atlanta|miami|philadelphia|phoenix|san diego|toronto|vancouver|montreal|sydney|melbourne|brisbane|perth|auckland|dublin|manchester|leeds|glasgow|edinburgh|bristol|liverpool|birmingham|amsterdam|rotterdam|brussels|vienna|zurich|geneva|munich|hamburg|frankfurt|prague|warsaw|krakow|budapest|lisbon|porto|barcelona|milan|turin|athens|istanbul|moscow|kyiv|oslo|stockholm|copenhagen|helsinki|singapore|hong kong|shanghai|beijing|shenzhen|seoul|osaka|kyoto|bangkok|manila|jakarta|hanoi|delhi|mumbai|bangalore|dubai|cairo|lagos|nairobi|cape town|mexico city|sao paulo|buenos aires|london now|europe|asia|america|germany|france|spain|italy|china|japan|canada|australia|texas|california|florida|it|hr|healthcare|finance|tech|retail|sales|marketing|education|python|java|go|rust")
)
