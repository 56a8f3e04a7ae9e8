package facts

import (
	"strings"
)

// place returns the place after a cue.
func (s *sentence) place(after string) string {
	text := s.tail(after)
	for again := true; again; {
		text, again = cutLower(text, "beautiful ", "sunny ", "rainy ", "snowy ", "cold ", "good old ", "lovely ", "gorgeous ", "downtown ", "central ", "glorious ", "wonderful ", "sweet ", "ol' ", "old ", "the city of ", "the ", "greater ", "of all places ")
	}
	if name := properName(text); name != "" {
		if strings.ContainsAny(name, "0123456789/_+=<>@#{}[]\\") || enNoPlace.is(lowerASCII(name)) || enLangs.is(lowerASCII(name)) {
			return ""
		}
		return name
	}
	if text == "" || isName(text) || text[0] >= '0' && text[0] <= '9' {
		return ""
	}
	if before, w, _ := enNameEnds.find(lowerASCII(text)); w != "" {
		text = text[:len(before)]
	}
	if before, w, _ := enStops.find(lowerASCII(text)); w != "" {
		text = text[:len(before)]
	}
	v := englishValue(text)
	low := lowerASCII(v)
	if strings.ContainsAny(v, "0123456789/_+=<>@#{}[]\\") {
		return ""
	}
	whole := lowerASCII(s.tail(after))
	if v == "" || len(strings.Fields(v)) > 3 || enNoPlace.begin(low) || enPersons.begin(low) || strings.HasPrefix(whole, "a ") || strings.HasPrefix(whole, "the ") || strings.HasPrefix(whole, "an ") {
		return ""
	}
	return v
}

var (
	enNoPlace = setOf("|phase|stage|level|round|plan b|firefox|chrome|safari|mac|macos|android|iphone|ios|emacs|neovim|vscode|fedora|typescript|dvorak|colemak|zsh|peace|fear|hope|tears|bed|denial|sin|style|luxury|poverty|house|town|person|here|there|back|another|next|general|chat|vim|linux|arch|windows|ubuntu|debian|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|discord|minecraft|slack|zoom|teams|github|gitlab|steam|twitch|vc|gold|silver|platinum|plat|diamond|bronze|iron|master|masters|sims|skyrim|roblox|fortnite|valorant|dota|english|spanish|french|german|japanese|chinese|korean|portuguese|hr|it|qa|dms|pms|dm|pm|rust|python|go|java|aws|excel|ranked|season|chapter|act|act i|version|a|an|my|your|his|her|their|our|new|own|apartment|apartments|flat|flats|college|school|uni|dorm|dorms|love|general|game|queue|lobby|group|voice|call|meeting|meetings|charge|shape|line|trouble|fact|case|general|order|time|full|half|public|private|person|class|pain|shock|awe|need|debt|jail|prison|heaven|hell|space|mars|narnia|hogwarts|production|prod|staging|main|master|memory|caps|beta|alpha|early access|bulk|advance|addition|total|between|front|sync|touch|theory|practice|february|march|april|may|june|july|august|september|october|november|december|january|summer|winter|spring|autumn|fall|us-east-1|us-west-2|eu-west-1|na|eu|emea|with|together|bigger|smaller|something|somewhere|anywhere|office|first|second|third|last|that|this|these|those|page|slot|place|position|step|top|bottom")
	enLangs   = setOf("|english|spanish|french|german|japanese|chinese|korean|portuguese")
)

func (r *englishReader) enHome(s *sentence) bool {
	return r.enMove(s) || r.isHome(s) || r.enLivesIn(s)
}

// enMove reads where somebody lives or moves to.
func (r *englishReader) enMove(s *sentence) bool {
	return r.each(s, enPlace, func(subject, before, w, after string) bool {
		if enFromCue.is(w) { // moved from Oslo to Leeds
			_, to, ok := strings.Cut(after, " to ")
			if !ok {
				return false
			}
			w, after = "moved to", to
		}
		v := s.place(after)
		if w == "me in" && enMeIn.ends(strings.TrimRight(before, " ")) == "" {
			return false
		}
		if v == "" || former(before) || w == "lived in" && !perfect(before) || enStay.is(w) && (!enMore.in(after) || enVisits.in(s.low)) || enNeedsName.is(w) && enVisits.in(s.low) {
			return false
		}
		if negated(before) {
			return (enMore.in(after) || enNoLonger.ends(enAdverbsEnd(before)) != "") && isName(v) && r.add(subject, Place, v, true)
		}
		if (w == "moved to" || w == "moving to") && (subject != r.speaker || r.aboutJob) && enHiring.in(r.whole) {
			return r.add(subject, Job, v, false)
		}
		if (enNeedsName.is(w) || enMovesTo.is(w) && !enCities.is(lowerASCII(v)) && !enHomeWords.in(r.whole)) && !isName(v) {
			return false
		}
		return r.add(subject, Place, v, false)
	})
}

// isHome reads "Oslo is my home now".
func (r *englishReader) isHome(s *sentence) bool {
	before, w, after := enHomes.find(s.low)
	if w != "" && enLeads.cutAll(before) == "" && strings.HasPrefix(w, "my new") && r.city != "" { // greetings from Leeds, my new home
		return r.add(r.subjectOr(s, 0), Place, r.city, false)
	}
	if w != "" && before != "" {
		v := leftName(s.text[:len(before)])
		if w == "based" && len(s.all) == 0 || w == "local" && strings.TrimSpace(after) == "" && len(s.all) == 0 {
			v = ""
		}
		if w == "based" && before[len(before)-1] != ' ' {
			v = ""
		}
		head := strings.TrimSpace(before[:max(0, len(strings.TrimRight(before, " "))-len(v))])
		switch {
		case enDenizens.is(w) && head != "" && (enArticles.ends(enAdverbsEnd(head)) == "" || len(s.all) == 0 && !r.moving), (w == "home" || w == "our home" || w == "my home") && enCalls.ends(head) == "":
			v = ""
		}
		low := lowerASCII(v)
		if v != "" && !strings.HasPrefix(strings.TrimSpace(low), "the ") && !enNoPlace.is(low) && !enKin.begin(low) && r.names.Meant(v) == "" {
			return r.add(r.homeOwner(s, before), Place, v, false)
		}
	}
	if before, w, after := enHelloCity.findLast(s.low); w != "" && (r.moving || strings.Contains(r.whole, "bye") || strings.Contains(r.whole, "new home") || strings.Contains(r.whole, "farewell")) {
		if v := s.place(after); isName(v) && before == enLeads.cutAll(before) {
			relation := Place
			if enJobNews.in(r.whole) {
				relation = Job
			}
			return r.add(r.subjectOr(s, len(before)+len(w)), relation, v, false)
		}
	}
	return false
}

// homeOwner returns the person to whom a place is home.
func (r *englishReader) homeOwner(s *sentence, before string) string {
	for _, m := range s.all {
		if m.at >= len(before) && m.id != "" {
			return m.id
		}
	}
	if len(s.all) > 0 && s.all[0].id != "" && s.all[0].at < len(before)/2 && s.all[0].id == r.speaker {
		return r.speaker
	}
	if r.subject == "" {
		return r.speaker
	}
	return r.subject
}

// enLivesIn reads a place after a word for a home: a flat in Oslo, or of being: I'm in Oslo now.
func (r *englishReader) enLivesIn(s *sentence) bool {
	if r.each(s, enGreetings, func(subject, before, w, after string) bool {
		v := s.place(after)
		return isName(v) && r.names.Meant(v) == "" && !enVisits.in(r.whole) && r.add(r.speaker, Place, v, false)
	}) {
		return true
	}
	if enHere.in(r.whole) && r.each(s, enFrom, func(subject, before, w, after string) bool {
		v := s.place(after)
		return isName(v) && enBeing.ends(enAdverbsEnd(before)) != "" && r.add(subject, Place, v, false)
	}) {
		return true
	}
	if r.each(s, enTo, func(subject, before, w, after string) bool { // moved across the country to Leeds
		v := s.place(after)
		return isName(v) && enMoves.in(lastWords(before, 6)) && !strings.HasSuffix(enAdverbsEnd(before), " on") && !strings.HasSuffix(before, "on ") && !strings.HasSuffix(before, " on") && !negated(before) && !enVisits.in(s.low) && r.add(subject, Place, v, false)
	}) {
		return true
	}
	return r.each(s, enIn, func(subject, before, w, after string) bool {
		v := s.place(after)
		if low := lowerASCII(s.tail(after)); strings.HasPrefix(low, "the ") && !enTheLand.begin(low) && !enAround.begin(strings.TrimSpace(low[min(len(low), len("the ")+len(v)):])) || len(v) < 4 && strings.ToUpper(v) == v && !enShortLand.is(v) {
			return false
		}
		if !isName(v) || former(before) || enUsed.in(before) || enCouldBe.in(lastWords(before, 5)) || negated(before) || enVisits.in(s.low) || len(strings.Fields(v)) > 4 {
			return false
		}
		if enHomeWords.in(lastWords(before, 6)) {
			return r.add(subject, Place, v, false)
		}
		_, rest, _ := strings.Cut(s.tail(after), v)
		bare := strings.Trim(rest, " .") == "" && strings.ToUpper(v) != v
		long := bare || enMore.in(after) || strings.Contains(after, " for ") || strings.Contains(after, "since") || strings.Contains(before, "now") || r.moving
		return long && enBeing.ends(enAdverbsEnd(before)) != "" && r.add(subject, Place, v, false)
	})
}

var (
	enPlace = setOf("|located in|working remotely from|commute from|dialing in from|home office is in|home office is now in|hang my hat in|roof over my head in|pitched my tent in|retired to|back for good in|here in|studying in|uni in|college in|grad school in|stay in|stays in|staying in|live in|lives in|lived in|living in|live over in|lives over in|live out in|living out in|live down in|living down in|live up in|living up in|live near|live outside|moved to|moved into|moving to|moved out to|moved down to|moved up to|moved away to|moved across to|moved back to|moved over here to|moved here to|moving back to|moving out to|moving into|relocated to|relocated out to|relocating to|relocate to|relocation to|based in|based out of|based over in|settled down in|settling in|settling into|settled into|settling down in|my place in|own place in|new place in|flat in|apartment in|condo in|townhouse in|studio in|loft in|dorm in|reside in|resides in|residing in|resident of|residents of|home is in|home is now|home is|home now is|home base is|home base is now|home base now is|living over in|renting in|rent in|lease in|lease on a place in|crashing in|stationed in|ended up in|wound up in|landed in|transplanted to|emigrated to|immigrated to|migrated to|shifted to|uprooted to|hometown now is|out in|packed up and went to|the move to|my move to|our move to|made it to|moved everything to|moved the family to|moved my life to|moved my whole life to|moved our family to|moved us to|moved all my stuff to|moved my stuff to|home in|new home in|a home in|bought in|my address is in|address is in|address is now in|roots in|new life in|life in|living life in|me in|my city is|city is now|current city is|location is|location is now|location now is|based now in|transplant to|keys to a place in|nested in|holed up in|new in|newcomer in|neighborhood in|neighbourhood in|-new in the")
	// enNeedsName cues need a name.
	enNeedsName = setOf("|located in|working remotely from|commute from|dialing in from|home office is in|home office is now in|here in|studying in|uni in|college in|grad school in|moved in|place in|out in|ended up in|wound up in|landed in|home is|home in|new in|life in|made it to|bought in|moving into|moved into|settled in|settling in|settling into|settled into|live near|live outside|crashing in|the move to|unpacking in|unpacked in|my move to|our move to|location is|city is now|home is now|my city is|roots in|rent in|shifted to|neighborhood in|neighbourhood in|dorm in|studio in|house in")
	enMovesTo   = setOf("|moved to|moving to|migrated to|shifted to|moved back to|moving back to|moved over to|moving over to")
	enStay      = setOf("|stay in|stays in|staying in")
	enMeIn      = setOf(" find catch visit reach")
	enFromCue   = setOf("|moved from|moving from|relocated from|relocating from|transplanted from")
	enVisits    = setOf("|-come visit|-visit me|-visit us|visiting|visit|vacation|vacationing|trip|for the weekend|this weekend|holiday|holidays|layover|conference|airbnb|hotel|flying|flight|touring|tour|concert|tickets|looking for a place|looking for a flat|looking for an apartment|house hunting|apartment hunting|flat hunting|for a few days|for a couple of days|for two days|for three days|for a week|until sunday|until monday|til sunday|back home on|passing through|stuck in traffic|fansign|sold out")
	enHiring    = setOf("|referral|job|hired|hiring|new gig|career|offer")
	enHomes     = setOf("|is where we live|is where were living|is where we live now|is my home|is home|is officially home|is now home|is finally home|is where i live|is where im living|is where im based|is where i call home|is where you can find me|is where youll find me|is where home is|is where my home is|is where my bed is|is where i ended up|is where i settled|is where i moved|is our home|is our new home|is my new home|is my city|is my new city|is my new base|is my base|is my new town|is my hometown now|is my new hometown|is my current city|is my forever home|is my new address|is my address|is the new home|is the new address|is my new location|has been my home|has been home|has become my home|has become home|became home|became my home|feels like home|has been my city|is what i call home|my new home|home sweet home|our home|resident|local|native|citizen|home|based|-home depot|-local news|-native speaker|-based on|-based in|-based out|-based off")
	// enDenizens follow a place in what somebody is: I'm an Oslo resident now.
	enDenizens  = setOf("|resident|local|native|citizen|based")
	enArticles  = setOf("|been|become|became|be|a|an|im|am|is|are|officially|now|'s|were|the|newest|new")
	enCalls     = setOf("|call|calling|calls|called|make|made|making")
	enHelloCity = setOf("|hello|hi|hey|welcome to|bonjour|hola")
	enTo        = setOf(" to")
	enMoves     = setOf("|moved|relocated|uprooted|emigrated|migrated|the move|transplanted|moved us|moved everything|moved the family")
	enIn        = setOf(" in")
	enAround    = setOf("|area|region|suburbs|metro")
	enTheLand   = setOf("|the netherlands|the uk|the us|the usa|the bay|the bronx|the hague|the philippines|the city of|the midlands|the highlands")
	enShortLand = setOf(" UK US USA NYC LA DC SF UAE Rio")
	enCouldBe   = setOf(" could might would should may wish if")
	enGreetings = setOf("|greetings from|hello from|hi from|hey from|checking in from|coming to you from|reporting in from|posting from|writing from|writing to you from|logging on from|logging in from|tuning in from|waving from|saying hi from")
	enFrom      = setOf(" from")
	enHere      = setOf("|live here|living here|still here|stayed here|based here|never left")
	enHomeWords = setOf("|moved in|live|lives|living|moved|relocated|settled|based|flat|apartment|house|condo|room|bedroom|bedsit|studio|loft|lease|rent|renting|rented|mortgage|unpack|unpacking|unpacked|address|keys|residence|neighborhood|neighbourhood|neighbors|neighbours|landlord|resident|roots|cottage|townhouse|duplex|basement|place|digs|crib|pad|bungalow|tenant|homeowner|stationed|posted|household|own place|moved here|residing|boxes")
)
