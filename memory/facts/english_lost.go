package facts

import (
	"strings"
)

// enLost reads that somebody likes something no more.
func (r *englishReader) enLost(s *sentence) bool {
	return r.isTired(s) || r.isOver(s) || r.phase(s) || r.noCare(s) || r.faded(s) || r.bored(s) || r.behind(s) || r.shrug(s)
}

// isTired reads "I'm tired of chess", and "I never get tired of chess", which is the opposite.
func (r *englishReader) isTired(s *sentence) bool {
	return r.each(s, enOver, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if v == "" && enWholly.is(w) && r.object != "" && strings.TrimSpace(enTails.cutEnds(after)) == "" {
			v = r.object
		}
		if w == "over" && !s.being(before) {
			return false
		}
		if thing := enThings.ends(lowerASCII(v)); thing != "" && len(thing) < len(v) {
			v = v[:len(v)-len(thing)]
		}
		if v == "" || noHobby.in(lowerASCII(v)) {
			return false
		}
		if negated(before) || enNever.in(lastWords(before, 3)) { // could never get tired of chess
			return enTired.is(w) && r.add(subject, Likes, v, false)
		}
		return r.add(subject, Likes, v, true)
	})
}

// isOver reads "chess doesn't do it for me anymore".
func (r *englishReader) isOver(s *sentence) bool {
	if before, w, after := enIsOver.find(s.low); w != "" && before != "" {
		v := s.leftValue(before)
		if thing := enThings.ends(lowerASCII(v)); thing != "" && len(thing) < len(v) { // the chess craze is behind me
			v, _ = cutFold(v[:len(v)-len(thing)], "the ", "my ")
		}
		if v != "" && !enNotOver.begin(strings.TrimLeft(after, " ")) {
			return r.add(r.subjectOr(s, 0), Likes, v, true)
		} else if r.object != "" && enItStart.begin(enLeads.cutAll(s.low)) {
			return r.add(r.subjectOr(s, 0), Likes, r.object, true)
		}
	}
	return false
}

// noCare reads "I don't care for chess these days" and "I quit playing chess".
func (r *englishReader) noCare(s *sentence) bool {
	return r.each(s, enNoCare, func(subject, before, w, after string) bool {
		v := r.thing(s, after)
		if enStopped.ends(enAdverbsEnd(before)) != "" { // I quit playing chess
			return v != "" && !noHobby.in(lowerASCII(v)) && r.add(subject, Likes, v, true)
		}
		ends := (enMore.in(after) || enNoLonger.ends(enAdverbsEnd(before)) == "no longer" || strings.Contains(r.whole, "used to") || strings.Contains(r.whole, "anymore") || strings.Contains(r.whole, "any more")) && negated(before)
		return v != "" && ends && !noHobby.in(lowerASCII(v)) && r.add(subject, Likes, v, true)
	})
}

// faded reads "the thrill of chess is gone".
func (r *englishReader) faded(s *sentence) bool {
	if _, w, after := enFeelings.find(s.low); w != "" {
		if what, w, _ := enPhaseOver.find(after); w != "" {
			what = strings.TrimRight(what, " ")
			for _, is := range [...]string{" is", " has", " just", " are", " was", " have"} {
				what = strings.TrimSuffix(what, is)
			}
			if v := englishValue(s.part(what, after)); v != "" {
				return r.add(r.subjectOr(s, 0), Likes, v, true)
			}
		}
	}
	return false
}

// bored reads "I find chess boring now".
func (r *englishReader) bored(s *sentence) bool {
	return r.each(s, enFind, func(subject, before, _, after string) bool {
		what, w, _ := enBoring.find(after)
		if negated(before) { // don't find chess fun anymore
			what, w, _ = enFun.find(after)
		}
		v := englishValue(s.part(what, after))
		return w != "" && v != "" && len(strings.Fields(v)) < 5 && !noHobby.in(lowerASCII(v)) && r.add(subject, Likes, v, true)
	})
}

// behind reads "I've put chess behind me".
func (r *englishReader) behind(s *sentence) bool {
	if before, w, _ := enBehind.find(s.low); w != "" {
		if head, put, what := enPut.findLast(before); put != "" {
			v := englishValue(s.text[len(head)+len(put) : len(head)+len(put)+len(what)])
			return v != "" && r.add(r.subjectOr(s, 0), Likes, v, true)
		}
	}
	return false
}

// shrug reads "not anymore" after "chess?".
func (r *englishReader) shrug(s *sentence) bool {
	if (enMeh.begin(s.low) || enMeh.begin(enLeads.cutAll(s.low))) && r.object != "" && len(strings.Fields(s.low)) < 8 {
		v := r.object
		r.object = ""
		return !noHobby.in(lowerASCII(v)) && r.add(r.subjectOr(s, 0), Likes, v, true)
	}
	return false
}

// phase reads "my chess phase is over".
func (r *englishReader) phase(s *sentence) bool {
	before, w, after := enPhase.find(s.low)
	head, my, v := enMyThe.findLast(before)
	over := enPhaseOver.in(after) || enDropped.in(before)
	if w == "" || !over && !enGrowing.begin(strings.TrimLeft(after, " ")) && enInMy.ends(strings.TrimRight(head+my, " ")) == "" {
		return false
	}
	if my == "" || strings.TrimSpace(v) == "" {
		return false
	}
	value := englishValue(s.text[len(head)+len(my) : len(before)])
	return value != "" && r.add(r.subjectOr(s, 0), Likes, strings.TrimSuffix(value, "'s"), over)
}
