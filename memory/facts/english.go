package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An englishReader reads one English message.
type englishReader struct {
	reader
	whole string // the message in lower case
	off   bool   // the message tells that something is off
}

// A sentence is a part of an English text.
type sentence struct {
	text string // without apostrophes that shorten a verb
	low  string // in lower case; its bytes correspond to those of text
	all  []enMention
}

// An enMention is a person in a sentence. id is "" for somebody whom nobody knows.
type enMention struct {
	at, end int
	id      string
}

// english reads an English text sentence by sentence.
func (r *englishReader) english(text string) {
	text = plainEnglish(text)
	r.whole = lower(text)
	if !enWords.in(r.whole) {
		return
	}
	r.englishBirthday(text)
	r.off = enOff.in(r.whole)
	comma := false
	for text != "" {
		end := enEnd(text)
		one := strings.TrimSpace(text[:end])
		asks := end < len(text) && text[end] == '?' && !enRhetorical.begin(lower(one))
		if rest, ok := cutFold(one, "who "); ok && comma && r.subject != "" { // ask Alice, who works at Nokia
			one = rest
		}
		comma = end < len(text) && text[end] == ','
		text = text[min(len(text), end+1):]
		if one == "" || asks || enAsks.begin(lower(one)) {
			continue
		}
		r.sentence(r.newSentence(one))
	}
}

// enWords are all cues.
var enWords = unionOf(enBirth, enWork, enAt, enRole, enLeft, enPlace, enIn, enHomes, enLove, enHate, enIsLove, enFan, enOver, enIsOver, enOwn, enMine, enPlan, enDrop, enAnimals, enNewPet, setOf(" moved moving"))

var enAsks = setOf("|who|what|where|when|how|why|anyone|anybody|does|do you|do u|is it|is there|are you|are there|are we|can you|can u|can someone|could|should|has anyone|is the|which|whos|whose|is anyone")

// enRhetorical texts begin a question that tells something.
var enRhetorical = setOf("|did i tell|guess who|guess what|remember|ok so remember|so remember|did you hear|did u hear|have i told|did i mention|you know how|guess whos|did u guys see|did you guys see")

// plainEnglish removes apostrophes, except before a possessive s.
func plainEnglish(text string) string {
	if strings.IndexByte(text, '\'') < 0 && strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "’", "'")
	var b strings.Builder
	for i := range len(text) {
		if text[i] >= 0x80 { // an emoji ends a sentence
			if text[i] == 0xF0 || text[i] == 0xE2 && i+1 < len(text) && text[i+1] >= 0x98 {
				b.WriteByte('.')
			}
			if c, size := utf8.DecodeRuneInString(text[i:]); size > 1 && !isEmoji(c) {
				b.WriteString(text[i : i+size])
			}
			continue
		}
		if text[i] == '\'' && i > 0 && i+1 < len(text) && isLetter(text[i-1]) && isLetter(text[i+1]) {
			if possessive := text[i+1]|0x20 == 's' && (i+2 == len(text) || !isLetter(text[i+2])); !possessive || pronounS.ends(lower(text[:i])) != "" {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// pronounS stand before an 's that is no possessive.
var pronounS = setOf(" it that he she there who what let here -with -sit")

// enEnd returns the end of the first sentence or clause.
func enEnd(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '!', ';', ',', '\n', '?', '(', ')', ':':
			return i
		case '.':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '.' {
				return i
			}
		}
	}
	return len(text)
}

// newSentence finds the people in a sentence.
func (r *englishReader) newSentence(text string) *sentence {
	s := &sentence{text: text, low: lower(text)}
	for i := 0; i < len(s.low); {
		if i > 0 && (isLetter(s.low[i-1]) || s.low[i-1] == '\'') {
			i++
			continue
		}
		id, name := r.names.prefix(s.text[i:])
		w, _ := enPersons.begins(s.low[i:])
		switch {
		case name != "":
			end := i + len(name)
			if id != "" {
				r.named = id
			}
			if rest := strings.TrimPrefix(strings.TrimPrefix(s.low[end:], "'s"), " "); enKin.begin(rest) {
				id = ""
			}
			s.all = append(s.all, enMention{i, end, id})
			i = end
		case w == "":
			i++
		default:
			end, who := i+len(w), r.speaker
			switch w {
			case "my", "our":
				if !enKin.begin(strings.TrimLeft(s.low[end:], " ")) {
					who = "-" // no subject
				} else {
					who = ""
				}
			case "you", "your", "u", "ur", "youre", "yall", "people", "everyone", "someone", "somebody", "no one":
				who = ""
			case "he", "she", "they", "theyre", "hes", "shes", "theyve", "his", "her", "their":
				who = r.named
			}
			if who != "-" {
				s.all = append(s.all, enMention{i, end, who})
			}
			i = end
		}
	}
	return s
}

var enPersons = setOf("|i|im|ive|ill|id|we|were|weve|well|my|our|you|your|u|ur|youre|yall|he|she|they|theyre|hes|shes|theyve|his|her|their|someone|somebody|people|-were you|-well see")

// enSubject returns the person whom a cue at a position is about. ok is false if that cannot be told.
func (r *englishReader) enSubject(s *sentence, at int) (id string, ok bool) {
	for i := len(s.all) - 1; i >= 0; i-- {
		if m := s.all[i]; m.at <= at {
			id = m.id
			lead := s.low[min(m.end, at):at]
			if len(strings.Fields(lead)) > 6 {
				return "", false
			}
			return id, id != ""
		}
	}
	lead := strings.TrimSpace(enLeads.cutAll(s.low[:at]))
	if first, _, _ := strings.Cut(lead, " "); lead != "" && !strings.HasSuffix(first, "ed") && !strings.HasSuffix(first, "ing") {
		return "", false
	}
	if r.subject == "" {
		return "", false
	}
	return r.subject, true
}

// sentence applies the rules to a sentence.
func (r *englishReader) sentence(s *sentence) {
	n := len(r.claims)
	_ = r.enPlanEnd(s) || r.enPlan(s) || r.enJob(s) || r.enHome(s) || r.enPets(s) || r.enLikes(s)
	for _, m := range s.all {
		if r.subject = m.id; m.id != "" {
			break
		}
	}
	if len(r.claims) == n {
		if _, w, after := enTopics.findLast(s.low); w != "" { // can't beat chess, I love it
			r.object = s.value(after)
		}
	}
	r.moving = r.moving || strings.Contains(s.low, "moved") || strings.Contains(s.low, "moving")
	r.aboutJob = r.aboutJob || strings.Contains(s.low, "job") || strings.Contains(s.low, "hired") || strings.Contains(s.low, "gig")
}

// value returns the value that follows a cue, in the case of the text.
func (s *sentence) value(after string) string {
	text := s.text[len(s.text)-len(after):]
	skip := len(text) - len(strings.TrimLeft(text, " :"))
	text = text[skip:]
	for again := true; again; {
		text, again = cutFold(text, "the ", "a ", "an ", "some ", "my ", "our ", "all things ", "this whole ")
	}
	low := lower(text)
	if before, w, _ := enStops.find(low); w != "" && before != "" {
		text = text[:len(before)]
	}
	return englishValue(text)
}

// englishValue cleans a value.
func englishValue(v string) string {
	v = strings.Trim(v, " .!~*\"")
	for again := true; again; {
		low := lower(v)
		w := enTails.ends(low)
		if again = w != "" && len(w) < len(v) && v[len(v)-len(w)-1] == ' '; again {
			v = strings.TrimRight(v[:len(v)-len(w)], " ")
		}
	}
	if v == "" || len(strings.Fields(v)) > 6 {
		return ""
	}
	if w, _ := noEnValue.begins(lower(v)); w != "" {
		return ""
	}
	return v
}

var noEnValue = setOf(" it that this these those you u him her them how when what to i me my your if there here like being not in on at how everyone people someone anyone everything nothing something stuff one the same so because and or work doing getting going")

// cutFold removes the first of these prefixes, in any case.
func cutFold(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			return strings.TrimLeft(s[len(p):], " "), true
		}
	}
	return s, false
}

// each calls read for each of the cues in a sentence with the subject and what stands around the cue, until read returns true.
func (r *englishReader) each(s *sentence, cues *wordSet, read func(subject, before, w, after string) bool) bool {
	for from := 0; from < len(s.low); {
		before, w, after := cues.find(s.low[from:])
		if w == "" {
			return false
		}
		at := from + len(before)
		if subject, ok := r.enSubject(s, at); ok && read(subject, s.low[:at], w, after) {
			return true
		}
		from = at + len(w)
	}
	return false
}

// negated reports whether a word before a cue turns it round.
func negated(before string) bool { return enNot.ends(strings.TrimSpace(enAdverbsEnd(before))) != "" }

// enAdverbsEnd removes adverbs from the end of a text.
func enAdverbsEnd(before string) string {
	for again := true; again; {
		before, again = cutEndAny(strings.TrimSpace(before), []string{" really", " even", " that", " so", " all that", " totally", " particularly", " much of", " a", " big", " really a", " much", " quite", " exactly", " longer"})
	}
	return before
}

// englishBirthday reads a day of the year and a word for a birthday.
func (r *englishReader) englishBirthday(text string) {
	all := lower(text)
	if _, w, _ := enBirth.find(all); w == "" || strings.Contains(all, "?") {
		return
	}
	month, day := 0, 0
	words := strings.FieldsFunc(all, func(c rune) bool { return strings.ContainsRune(" ,'.!:()", c) })
	for i, w := range words {
		if len(w) < 3 || month != 0 || !isMonth(w) {
			continue
		}
		for _, j := range [...]int{i + 1, i - 1, i - 2} {
			if j >= 0 && j < len(words) && day == 0 {
				if n, err := strconv.Atoi(strings.TrimRight(words[j], "stndrh")); err == nil && n >= 1 && n <= 31 {
					month, day = 1+slices.Index(englishMonths, w[:3]), n
				}
			}
		}
	}
	if month == 0 || day == 0 {
		return
	}
	s := r.newSentence(text)
	subject := r.speaker
	mine := enMyself.in(all)
	for _, m := range s.all {
		if m.id != r.speaker && m.id != "" && !mine {
			subject = m.id
			break
		}
	}
	if before, w, after := enMine.find(all); w != "" && enKin.begin(strings.TrimSpace(after)) && before == "" {
		return
	}
	r.add(subject, Birthday, strconv.Itoa(month)+"月"+strconv.Itoa(day)+"日", false)
}

var (
	enBirth  = setOf("|birthday|birthdays|bday|bdays|b-day|born|cake day|year older|another year|i turn|im turning|turning|turns|birthdate|date of birth|the big|-happy birthday|-reborn")
	enMyself = setOf(" my mine i im me")
)

func isMonth(w string) bool {
	i := slices.Index(englishMonths, w[:3])
	if i < 0 {
		return false
	}
	full := [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}[i]
	return strings.HasPrefix(full, w) || w == "sept"
}

// enPronouns are in what is no plan without its context.
var enPronouns = setOf(" it this that them not you")
