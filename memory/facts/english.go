package facts

import (
	"slices"
	"strconv"
	"strings"
)

var (
	englishIrony      = setOf("just kidding", " jk", "kidding", "joking", "i wish", "if i ", "would ", " /s", "as if", "lol no", "dream", "jk", "not true", "made that up")
	englishTakingBack = []string{"just kidding", "kidding", "jk", "joking", "not true", "made that up"}
	englishFillers    = []string{"btw ", "by the way ", "i heard that ", "i heard ", "apparently ", "i think ", "so ", "and ", "well ", "ok ", "oh ", "guys ", "finally ", "actually ", "these days "}
	englishAdverbs    = []string{"just ", "really ", "now ", "recently ", "currently ", "already ", "finally ", "have ", "has ", "'ve ", "also ", "still ", "totally ", "absolutely ", "now"}
	englishTails      = []string{" right now", " now", " anymore", " any more", " these days", " yesterday", " today", " last week", " last month", " lol", " haha", " next week", " next month", " next year", " this summer", " this weekend", " tomorrow", " soon", " after all", " recently", " a lot", " so much", " too"}
	englishRoles      = []string{"er", "or", "ist", "ian", "man", "nurse", "chef", "cook", "pilot", "student", "clerk", "lawyer", "engineer", "dev", "teacher", "doctor", "driver", "vet", "dj", "judge", "guard", "agent", "coach", "barista", "accountant", "consultant", "intern", "freelancer", "surgeon", "artist"}
	englishAnimals    = []string{"cat", "dog", "kitten", "puppy", "rabbit", "bunny", "turtle", "tortoise", "hamster", "parrot", "ferret", "snake", "lizard", "gecko", "fish", "goldfish", "guinea pig", "beagle", "corgi", "poodle", "husky", "labrador", "bird", "budgie", "hedgehog", "rat", "mouse", "horse", "pony", "chicken", "duck", "frog", "retriever", "shepherd", "terrier", "bulldog", "chinchilla", "cockatiel"}
	englishMonths     = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
)

// english reads an English text sentence by sentence.
func (r *reader) english(text string) {
	for _, sentence := range strings.FieldsFunc(strings.ReplaceAll(text, "?", "?."), func(c rune) bool { return strings.ContainsRune(".!;,\n", c) }) {
		if !strings.Contains(sentence, "?") {
			r.sentence(strings.TrimSpace(sentence))
		}
	}
}

// sentence applies the rules to a sentence.
func (r *reader) sentence(s string) {
	s = strings.ReplaceAll(s, "’", "'")
	for again := true; again; {
		s, again = cutFold(s, englishFillers...)
	}
	subject, rest, verb := r.speaker, s, true
	if id, name := r.names.prefix(s); name != "" {
		subject, rest = id, strings.TrimSpace(s[len(name):])
		rest, _ = cutFold(rest, "is ", "'s ", "was ")
	} else if rest, verb = cutFold(s, "i'm ", "im ", "i am ", "we're ", "we are ", "i've ", "i ", "we "); !verb {
		if _, mine := cutFold(s, "my "); !mine {
			return
		}
	}
	if r.englishBirthday(subject, s, rest) || !verb {
		return
	}
	for again := true; again; {
		rest, again = cutFold(rest, englishAdverbs...)
	}
	_ = r.englishPlan(subject, rest) || r.englishJob(subject, rest) || r.englishPlace(subject, rest) || r.englishPet(subject, rest) || r.englishLikes(subject, rest)
}

// cutFold removes the first of these prefixes, in any case.
func cutFold(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			return strings.TrimLeft(s[len(p):], " "), true
		}
	}
	return s, false
}

// englishValue cleans a value.
func englishValue(v string) string {
	for again := true; again; {
		again = false
		for _, tail := range englishTails {
			if n := len(v) - len(tail); n > 0 && strings.EqualFold(v[n:], tail) {
				v, again = v[:n], true
			}
		}
	}
	v = strings.TrimSpace(v)
	if v == "" || len(strings.Fields(v)) > 5 {
		return ""
	}
	if _, pronoun := cutFold(v+" ", "it ", "that ", "this ", "you ", "him ", "her ", "them ", "how ", "when ", "what ", "to "); pronoun {
		return ""
	}
	return v
}

func (r *reader) englishBirthday(subject, s, rest string) bool {
	all := lower(s)
	if !strings.Contains(all, "birthday") && !strings.Contains(all, "bday") {
		return false
	}
	words := strings.FieldsFunc(all, func(c rune) bool { return strings.ContainsRune(" ,'", c) })
	month, day := 0, 0
	for _, w := range words {
		if len(w) >= 3 {
			if i := slices.Index(englishMonths, w[:3]); i >= 0 && month == 0 {
				month = i + 1
			}
		}
		if n, err := strconv.Atoi(strings.TrimRight(w, "stndrh")); err == nil && n >= 1 && n <= 31 {
			day = n
		}
	}
	if month == 0 || day == 0 || strings.HasPrefix(rest, "think") {
		return false
	}
	return r.add(subject, Birthday, strconv.Itoa(month)+"月"+strconv.Itoa(day)+"日", false)
}

func (r *reader) englishPlan(subject, rest string) bool {
	if what, ok := cutFold(rest, "not going to ", "not gonna ", "not planning to ", "no longer going to ", "no longer planning to ", "won't ", "don't plan to ", "gave up on my plan to "); ok {
		v := englishValue(what)
		return v != "" && r.add(subject, Plan, v, true)
	}
	what, ok := cutFold(rest, "planning to ", "plan to ", "plans to ", "going to ", "gonna ", "intend to ", "decided to ")
	if !ok {
		return false
	}
	v := englishValue(what)
	if _, small := cutFold(v+" ", "sleep ", "eat ", "bed ", "lunch ", "dinner ", "be ", "say ", "ask "); small {
		return true
	}
	return v != "" && r.add(subject, Plan, v, false)
}

func (r *reader) englishJob(subject, rest string) bool {
	if _, over := cutFold(rest, "quit my job", "quit", "lost my job", "got fired", "got laid off", "was fired", "was laid off", "unemployed"); over {
		return r.add(subject, Job, "", true)
	}
	if at, ok := cutFold(rest, "started working at ", "started working for ", "started at ", "working at ", "working for ", "work at ", "works at ", "work for ", "works for ", "got a job at ", "got a new job at ", "have a new job at ", "hired by ", "got hired by ", "got hired at ", "joined "); ok {
		at, _ = cutFold(at, "the ")
		v := englishValue(at)
		return v != "" && !strings.Contains(lower(v), "group") && r.add(subject, Job, v, false)
	}
	role, ok := cutFold(rest, "working as a ", "working as an ", "work as a ", "work as an ", "works as a ", "works as an ", "became a ", "became an ", "a ", "an ")
	if v := englishValue(role); ok && v != "" && len(strings.Fields(v)) < 4 {
		_, is := cutEndAny(lower(v), englishRoles)
		return is && r.add(subject, Job, v, false)
	}
	return false
}

func (r *reader) englishPlace(subject, rest string) bool {
	at, ok := cutFold(rest, "live in ", "lives in ", "living in ", "moved to ", "moved into ", "moving to ", "relocated to ", "based in ", "settled in ")
	v := englishValue(at)
	return ok && v != "" && r.add(subject, Place, v, false)
}

func (r *reader) englishPet(subject, rest string) bool {
	what, ok := cutFold(rest, "adopted a ", "adopted an ", "got a ", "got an ", "bought a ", "have a ", "has a ", "own a ", "a ", "an ")
	if !ok {
		return false
	}
	what, _ = cutFold(what, "new ", "little ", "cute ")
	v := englishValue(what)
	_, is := cutEndAny(lower(v), englishAnimals)
	return is && r.add(subject, Pet, v, false)
}

func (r *reader) englishLikes(subject, rest string) bool {
	if what, ok := cutFold(rest, "don't like ", "do not like ", "don't love ", "doesn't like ", "not into ", "no longer like ", "no longer into ", "don't really like "); ok {
		over := strings.Contains(lower(rest), "more") || strings.HasPrefix(lower(rest), "no longer")
		relation := Dislikes
		if over {
			relation = Likes
		}
		v := englishValue(what)
		return v != "" && r.add(subject, relation, v, over)
	}
	if what, ok := cutFold(rest, "hate ", "hates ", "can't stand ", "cannot stand ", "dislike ", "dislikes "); ok {
		v := englishValue(what)
		return v != "" && r.add(subject, Dislikes, v, false)
	}
	what, ok := cutFold(rest, "love ", "loves ", "like ", "likes ", "adore ", "into ", "obsessed with ", "a fan of ", "a big fan of ", "enjoy ", "enjoys ")
	v := englishValue(what)
	return ok && v != "" && r.add(subject, Likes, v, false)
}
