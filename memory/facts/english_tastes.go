package facts

import (
	"strings"
)

// thing returns the value after a word of liking, which may be it.
func (r *englishReader) thing(s *sentence, after string) string {
	for _, it := range [...]string{" it", " them", " that stuff"} {
		if rest, ok := strings.CutPrefix(after, it); ok && (rest == "" || rest[0] == ' ') && r.object != "" {
			return r.object
		}
	}
	return s.value(after)
}

func (r *englishReader) enLikes(s *sentence) bool {
	return r.enLost(s) || r.enHates(s) || r.enLoves(s)
}

// enHates reads what somebody does not like.
func (r *englishReader) enHates(s *sentence) bool {
	return r.each(s, enHate, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if v == "" || noHobby.in(lowerASCII(v)) || negated(before) || former(before) {
			return false
		}
		if enMore.in(after) && (strings.HasPrefix(w, "can") || strings.HasPrefix(w, "not")) {
			return r.add(subject, Likes, v, true)
		}
		return r.add(subject, Dislikes, v, false)
	})
}

// enLoves reads what somebody likes.
func (r *englishReader) enLoves(s *sentence) bool {
	if r.favorite(s) || r.isLoved(s) || r.fanOf(s) {
		return true
	}
	if r.each(s, enLoved, func(subject, before, w, after string) bool { // I loved chess, can't stand it now
		v := s.value(after)
		if negated(before) {
			return v != "" && (enMore.in(after) || enLongTime.in(after)) && r.add(subject, Likes, v, true)
		}
		r.object = v
		if enMore.in(after) && enNot.in(after) {
			return r.add(subject, Likes, v, true)
		}
		return perfect(before) && w != "been into" && v != "" && !noHobby.in(lowerASCII(v)) && r.add(subject, Likes, v, false) // I've always loved chess
	}) {
		return true
	}
	if _, w, after := enThan.findLast(s.low); w != "" && strings.Contains(s.low, "nothing ") { // nothing relaxes me like chess
		if v := s.value(after); v != "" && !noHobby.in(lowerASCII(v)) && (len(s.all) > 0 || enMine.in(s.low) || strings.HasPrefix(s.low, "theres nothing") || strings.HasPrefix(s.low, "there is nothing")) {
			return r.add(r.subjectOr(s, 0), Likes, v, false)
		}
	}
	if r.object != "" && enYes.begin(s.low) && len(strings.Fields(s.low)) < 5 { // Chess? Count me in
		return !noHobby.in(lowerASCII(r.object)) && r.add(r.subjectOr(s, 0), Likes, r.object, false)
	}
	return r.each(s, enLove, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if enStopped.ends(enAdverbsEnd(before)) != "" && !enDoubled.is(w) { // I used to love chess
			return v != "" && !noHobby.in(lowerASCII(v)) && r.add(subject, Likes, v, true)
		}
		if enVerbs.is(w) && (!s.adjacent(before) || len(s.all) == 0 && enImperative.is(w) && !negated(before) && enEmphatic.ends(strings.TrimRight(before, " ")) == "") || w == "into" && !s.being(before) {
			return false
		}
		if (w == "like" || w == "likes") && strings.TrimSpace(before) == "" {
			return false
		}
		if v == "" || noHobby.in(lowerASCII(v)) || former(before) || (w == "like" || w == "likes") && notLiking.ends(strings.TrimSpace(before)) != "" || !isLiking(w, before) {
			return false
		}
		switch {
		case enMeInto.is(w):
			if enGotMe.ends(strings.TrimRight(before, " ")) == "" {
				return false
			}
		case enCould.is(w):
			return enAlways.in(after) && r.add(subject, Likes, v, false)
		case enWas.ends(enAdverbsEnd(before)) != "":
			r.object = v
			return enMore.in(after) && enNot.in(after) && r.add(subject, Likes, v, true)
		}
		if enDoubled.is(w) {
			return (negated(before) || enNever.in(lastWords(before, 3))) && r.add(subject, Likes, v, false)
		}
		if !negated(before) {
			return r.add(subject, Likes, v, false)
		}
		if enMore.in(after) || strings.Contains(before, "no longer") {
			return r.add(subject, Likes, v, true)
		}
		return r.add(subject, Dislikes, v, false)
	})
}

// favorite reads "my favorite thing outside of work is chess".
func (r *englishReader) favorite(s *sentence) bool {
	_, w, after := enMine.find(s.low)
	if w == "" {
		return false
	}
	adjectives, noun, rest := enFavorites.find(after)
	if noun == "" || len(strings.Fields(adjectives)) > 3 || enNoFavorite.begin(strings.TrimLeft(rest, " ")) || enNot.in(rest) || strings.Contains(rest, "used to") {
		return false
	}
	_, is, v := enIs.findLast(rest)
	if is == "" { // bingo! My absolute favorite
		thing := r.last
		if !enMine.begin(enLeads.cutAll(s.low)) && !enMine.begin(s.low) && !strings.HasPrefix(s.low, "my") {
			return false
		}
		return strings.TrimSpace(enTails.cutEnds(rest)) == "" && thing != "" && !noHobby.in(lowerASCII(thing)) && r.add(r.speaker, Likes, thing, false)
	}
	value := s.value(v)
	return value != "" && !noHobby.in(lowerASCII(value)) && r.add(r.speaker, Likes, value, false)
}

// isLoved reads "chess is my favorite thing" and "chess keeps me sane".
func (r *englishReader) isLoved(s *sentence) bool {
	before, w, rest := enTraits.find(s.low)
	if w == "" {
		if head, is, after := enIsMy.find(s.low); is != "" {
			adjectives, noun, rest := enLoveNouns.find(after)
			if noun != "" && len(strings.Fields(adjectives)) < 4 && !enNoFavorite.begin(strings.TrimLeft(rest, " ")) && !enNoFavorite.in(adjectives) {
				before, w = head, is
			}
		}
	}
	if w == "" || before == "" || strings.HasSuffix(w, "the best") && !enBest.begin(strings.TrimLeft(rest, " ")) && strings.Trim(rest, " .") != "" {
		return false
	}
	v := s.leftValue(before)
	low := lowerASCII(v)
	return v != "" && !strings.HasPrefix(low, "my ") && !enKin.begin(low) && r.names.Meant(v) == "" && r.add(r.lover(s, len(before)), Likes, v, false)
}

// lover returns the person who likes what stands before a position.
func (r *englishReader) lover(s *sentence, at int) string {
	for _, m := range s.all {
		if m.at >= at && m.id != "" {
			return m.id
		}
	}
	if r.subject == "" {
		return r.speaker
	}
	return r.subject
}

var (
	enLongTime = setOf("|in months|in years|in ages|in a while|in weeks|in a long time|since|for months|for years|for a while|for ages|lately")
	enBest     = setOf("|now|rn|lately|ever|thing|game|food|hobby|honestly|tbh|imo|fr|drink|meal|sport")
	enPeople   = setOf(" guy girl gal dude person head bro bros man main convert geek")
	enTraitsOf = setOf("|nice|good|bad|smart|old|young|new|random|strange|weird|funny|cool|great|single|any|one|crazy|sorry|lazy|busy|happy|quiet|shy|kind|normal|real|tall|short|poor|rich|lucky|open source|grown|grumpy|wrong|right|last|first|only|other|same|best|better|worst|third|second|dumb|stupid|bold|brave|changed|different|terrible|horrible|awful|simple|patient|private|decent|honest|lovely|sweet|very|the|this|that|what")
	enEmphatic = setOf("|really|honestly|do|actually|absolutely|totally|truly|still|thoroughly|just|always|started to")
	enGotMe    = setOf(" got gets gotten getting turned have has")
	enGrowing  = setOf("|is getting out of hand|is getting out of control|is out of control|is out of hand|is real|is getting worse|is getting serious|is growing|is back|has begun|has started|started|continues|intensifies|hits hard")
	enInMy     = setOf("|in my|entering my|entered my|started my|back in my|deep in my|into my")
	enStopped  = setOf("|used to|used to be|no longer|stopped|quit|stop|gave up")
	enYes      = setOf("|count me in|sign me up|yes please|love it|always|any day")
	enCaught   = setOf("|caught the|bitten by the|down the|on a")
	enBugs     = setOf("|bug|kick|binge|rabbit hole")
	enBehind   = setOf("|behind me")
	enPut      = setOf(" put putting left leaving")
	enHereNow  = setOf("|here|for life|right here|over here|since|forever|through and through|reporting")
)

// isLiking rejects into of moved into.
func isLiking(w, before string) bool {
	if w != "into" && w != "all about" && w != "dig" {
		return true
	}
	return enIntoVerbs.ends(strings.TrimSpace(before)) == ""
}

// fanOf reads i'm a huge chess fan.
func (r *englishReader) fanOf(s *sentence) bool {
	before, w, after := enFan.find(s.low)
	if w == "" || strings.HasPrefix(strings.TrimSpace(after), "of") {
		return false
	}
	ends := enExFan.in(before) || enMore.in(after) && (negated(before) || enNot.in(before))
	for _, head := range [...]string{"caught the ", "bitten by the ", "down the ", "on a ", "im a ", "im an ", "im such a ", "i am a ", "is a ", "'s a ", "such a ", "a total ", "a big ", "a huge ", "huge ", "big ", "certified ", "total ", "massive ", "hardcore ", "lifelong ", "full-blown ", "became a ", "become a ", "becoming a ", "turned into a ", "turning into a ", "proud ", "resident ", "recovering ", "former ", "ex-", "avid ", "the biggest ", "a real ", "a "} {
		i := strings.LastIndex(before, head)
		if head == "a " && len(s.all) == 0 && !enMore.in(after) || enPeople.is(w) && enTraitsOf.in(before[max(0, i):]) {
			continue
		}
		if enBugs.is(w) != enCaught.is(strings.TrimSpace(head)) {
			continue
		}
		if i < 0 && head == "such a " && len(s.all) == 0 && !enPeople.is(w) && enHereNow.begin(strings.TrimLeft(after, " ")) { // chess fan here
			i, head = 0, before[:len(before)-len(enLeads.cutAll(before))]
		}
		if i < 0 {
			continue
		}
		text := s.text[i+len(head) : len(before)]
		for again := true; again; {
			text, again = cutFold(text, "huge ", "big ", "massive ", "total ", "real ", "certified ", "hardcore ", "proud ", "lifelong ", "serious ", "such a ", "major ", "full-blown ", "bit of a ", "complete ", "absolute ", "true ", "avid ", "proper ", "die-hard ", "diehard ", "full-on ", "giant ", "enormous ", "mega ", "former ", "ex-", "recovering ", "shameless ", "long-time ", "longtime ", "devoted ", "dedicated ", "passionate ", "enthusiastic ", "biggest ", "self-proclaimed ", "self-confessed ")
		}
		v := englishValue(strings.TrimSpace(text))
		subject, ok := r.enSubject(s, i+len(head))
		if !ok && len(s.all) == 0 {
			subject, ok = r.subject, true
		}
		if v != "" && ok && len(strings.Fields(v)) < 5 && !noHobby.in(lowerASCII(v)) && !enArticles.begin(lowerASCII(v)) {
			return r.add(subject, Likes, v, ends)
		}
	}
	return false
}
