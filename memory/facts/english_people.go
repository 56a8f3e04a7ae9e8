package facts

import (
	"slices"
	"strings"
)

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
	nobody  bool // you, people: not the subject of what follows
	object  bool // after a preposition: with Alice
	me      bool // told me, hired me
}

// newSentence finds the people in a sentence.
func (r *englishReader) newSentence(text string) *sentence {
	s := &sentence{text: text, low: lowerASCII(text)}
	for i := 0; i < len(s.low); {
		if i > 0 && (isLetter(s.low[i-1]) || s.low[i-1] == '\'') {
			i++
			continue
		}
		id, name := r.names.prefix(s.text[i:])
		w, _ := enPersons.begins(s.low[i:])
		switch {
		case name != "" && i+len(name) <= len(s.low):
			end := i + len(name)
			if id != "" {
				r.named = id
			}
			if rest := strings.TrimPrefix(strings.TrimPrefix(s.low[end:], "'s"), " "); enKin.begin(rest) {
				id = ""
			}
			s.all = append(s.all, enMention{at: i, end: end, id: id, object: enWithWords.ends(s.low[:i]) != ""})
			i = end
		case w == "":
			i++
		default:
			m := enMention{at: i, end: i + len(w), id: r.speaker, object: enWithWords.ends(s.low[:i]) != ""}
			i = m.end
			switch w {
			case "my", "our":
				rest := enKinAdjectives.cutAll(s.low[m.end:])
				if !enKin.begin(rest) {
					continue // no subject
				}
				if w2, _ := enWorkmates.begins(rest); w2 != "" && strings.HasPrefix(rest[len(w2):], " at ") { // my boss at Tesco
					s.all = append(s.all, m)
					continue
				}
				if enMeAnd.ends(s.low[:m.at]) == "" && !(w == "our" && strings.HasPrefix(rest, "family")) {
					m.id = ""
				}
			case "you", "your", "u", "ur", "youre", "yall", "people", "everyone", "someone", "somebody", "no one", "nobody":
				m.id, m.nobody = "", true
			case "me", "us":
				m.me = true
			case "he", "she", "they", "theyre", "hes", "shes", "theyve", "theyd", "his", "her", "their":
				m.id = r.named
			}
			s.all = append(s.all, m)
		}
	}
	return s
}

var (
	enPersons       = setOf("|i|im|ive|ill|id|me|us|we|were|weve|wed|my|our|you|your|u|ur|youre|yall|he|she|they|theyre|hes|shes|theyve|theyd|his|her|their|someone|somebody|people|nobody|-were you")
	enWithWords     = setOf("| with |with | without | than | unlike | beside | near | next to ")
	enMeAnd         = setOf("|me and |i and |me & ")
	enWorkmates     = setOf(" boss manager supervisor coworker coworkers colleague colleagues team")
	enKinAdjectives = setOf(" old best little big younger older own dear lovely poor new former good")
	enKin           = setOf(" mom mum mama dad mother father parents brother sister bro sis siblings cousin uncle aunt auntie friend friends buddy mate roommate roommates flatmate housemate boss manager supervisor coworker coworkers colleague colleagues teacher neighbor neighbour neighbors neighbours girlfriend boyfriend gf bf wife wifey husband hubby spouse partner fiance fiancee son daughter kid kids baby child children grandma grandpa granny grandmother grandfather grandson granddaughter grandkids nephew niece ex dentist landlord team company boss's doctor professor family in-laws inlaws mother-in-law brother-in-law sister-in-law client clients streamer classmate ex-husband ex-wife stepdad stepmom stepson twin idol bias")
)

// enSubject returns the person whom a cue at a position is about. ok is false if that cannot be told.
func (r *englishReader) enSubject(s *sentence, at int) (id string, ok bool) {
	if m, is := lastMention(s.all, at); is {
		lead := s.low[min(m.end, at):at]
		if len(strings.Fields(lead)) > 7 || strings.Contains(lead, " who ") { // I have a friend who
			return "", false
		}
		return m.id, m.id != ""
	}
	if r.subject == "" || !plainEnLead(s.low[:at]) {
		return "", false
	}
	return r.subject, true
}

// lastMention returns the last person before a position, unless that is with somebody.
func lastMention(all []enMention, at int) (enMention, bool) {
	found := enMention{at: -1}
	for _, m := range all {
		if m.at <= at && (!m.object || found.at < 0) && !(m.me && found.id != "") {
			found = m
		}
	}
	return found, found.at >= 0
}

// plainEnLead reports whether words before a verb leave its subject out: just, finally, packed up and.
func plainEnLead(lead string) bool {
	for n := 0; n < 12; n++ {
		lead = strings.TrimSpace(lead)
		first, _, _ := strings.Cut(lead, " ")
		switch {
		case lead == "", enActs.is(first), first[0] >= '0' && first[0] <= '9', strings.HasSuffix(first, "ing") && !enNounIng.is(first), strings.HasSuffix(first, "ed") && len(first) > 3:
			return len(strings.Fields(lead)) < 9
		}
		rest, ok := enLeads.cut(lead)
		if !ok {
			return false
		}
		lead = rest
	}
	return false
}

var (
	// enActs are verbs of the past that begin a sentence without a subject.
	enActs = setOf(" left quit sold took went made gave had got found bought brought came began chose lost met put ran saw said spent thought told won became kept did grew hit let paid sent set spoke swore woke wrote cut fell felt flew drove broke need gotta")
	// enNounIng are no verbs.
	enNounIng = setOf(" meeting wedding building morning evening training parking shipping housing thing everything nothing something anything king ring spring string wing ceiling painting streaming gaming screening opening listing king recording ending")
	enLeads   = setOf("|sweet|excited|to announce|to say|to share|to report|in the end|third|fourth|fifth|its my|its been|its our|on|whole|weekends|evenings|nights|free time|spare time|days|found|our|more|for|signed|rented|leased|bagged|an|new|my|own|guess who|guess whos|whos|who|not|dont|didnt|doesnt|cant|wont|never|no longer|do not|cannot|quit|left|sold|took|went|made|gave|had|btw|by the way|apparently|i think|i guess|so|and|well|ok|okay|oh|guys|finally|actually|these days|just|really|now|recently|currently|already|have|has|had|ive|also|still|totally|absolutely|been|lowkey|highkey|ngl|tbh|honestly|fr|yo|bro|yeah|yep|yup|ya|yes|yea|nah|nvm|lol|lmao|lmaoo|haha|hey|hi|fyi|fwiw|psa|update|guess what|news|big news|good news|officially|um|uh|sorry|sry|brb|ofc|literally|kinda|kind of|sort of|pretty|so much|super|very|big|huge|massive|is|are|was|were|am|be|being|get|got|getting|started|became|the|as of today|as of|rip|gg|wow|omg|damn|man|dude|folks|everyone|everybody|too|even|always|never|once|then|but|or|ever|i heard|heard that|heard|saw|i saw|pretty sure|turns out|looks like|seems like|seriously|lately|this week|this month|this year|last week|last month|last year|today|yesterday|tonight|all|of|a|my new|living|such|back|up|thinking it through|after finals|changed my mind|anyway|anyways|alright|cant wait|to be|plus|again|old|happy|proud|glad|excited|stoked|hyped|pumped|thrilled|pleased|delighted|relieved|nervous|scared|sad|sadly|unfortunately|luckily|thankfully|happily|gladly|proudly|secretly|slowly|suddenly|eventually|surprisingly|obviously|clearly|definitely|certainly|probably|maybe|perhaps|basically|simply|completely|entirely|truly|genuinely|mostly|mainly|only|almost|soon|nowadays|presently|temporarily|permanently|full time|part time|full-time|part-time|first|last|next|day|one|1|two|second|week|month|shift|monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning|night|of mine|at last|for now|for good|for real|right now|at the moment|atm|rn|as usual|fun fact|true story|quick update|small update|life update|job update|career update|some news|sad news|heads up|yay|woo|woohoo|yippee|hooray|phew|ugh|eh|meh|hmm|hm|mhm|aww|nope|no|sure|right|true|exactly|indeed|listen|look|see|gotta say|must say|have to say|have to admit|must admit|gotta admit|admittedly|personally|in fact|in short|after years|after months|after all|thanks to|with that|that said|from today|starting today|from now on|please|thank god|thank goodness|over here|here|congrats|congratulations|kudos|good for|w|small|tiny|little|lifelong|total|certified|hardcore|true|real|ex|former|job|gig|work|place|employer|company|team|family|home|house|flat|apartment|keys|boxes|truck|theres nothing|there is nothing|life|tbf|imo|imho|ig")
)

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

// subjectOr returns the first person of a sentence whom it is about, or that of the one before.
func (r *englishReader) subjectOr(s *sentence, from int) string {
	i := slices.IndexFunc(s.all, func(m enMention) bool { return m.id != "" && m.at >= from })
	switch {
	case i >= 0:
		return s.all[i].id
	case r.subject == "":
		return r.speaker
	}
	return r.subject
}

// receiver returns the person whom a verb at the end of before is done to: hired me, offered Alice a job.
func (r *englishReader) receiver(s *sentence, after string) (id, rest string) {
	at := len(s.low) - len(after)
	at += len(after) - len(strings.TrimLeft(after, " "))
	for _, me := range [...]string{"me", "us"} {
		if rest, ok := strings.CutPrefix(s.low[at:], me); ok && (rest == "" || !isLetter(rest[0])) {
			return r.speaker, rest
		}
	}
	for _, m := range s.all {
		if m.at == at {
			return m.id, s.low[m.end:]
		}
	}
	if rest, ok := cutAny(s.low[at:], []string{"him", "them"}); ok {
		return r.named, rest
	}
	return "", after
}

// adjacent reports whether only adverbs stand between a person, or the start, and a verb.
func (s *sentence) adjacent(before string) bool {
	trimmed := enAdverbsEnd(before)
	if trimmed == "" || enVerbLeads.ends(trimmed) != "" && insideWordStart(trimmed, enVerbLeads.ends(trimmed)) {
		return true
	}
	for _, m := range s.all {
		if m.end == len(trimmed) || m.end == len(trimmed)-len("'s") && strings.HasSuffix(trimmed, "'s") {
			return true
		}
	}
	return strings.TrimSpace(enLeads.cutAll(before)) == ""
}

// insideWordStart reports whether a word at the end of a text is a whole one.
func insideWordStart(text, word string) bool {
	return len(word) == len(text) || !isLetter(text[len(text)-len(word)-1])
}

// being reports whether a word before a cue is a form of be, or none leaves it out: I'm so into, really into.
func (s *sentence) being(before string) bool {
	trimmed := enAdverbsEnd(before)
	w := enBe.ends(trimmed)
	if w != "" && insideWordStart(trimmed, w) {
		return true
	}
	return strings.TrimSpace(before) != "" && strings.TrimSpace(enLeads.cutAll(before)) == "" || negated(before)
}

// negated reports whether a word before a cue turns it round.
func negated(before string) bool { return enNot.ends(enAdverbsEnd(before)) != "" }

// enAdverbsEnd removes adverbs from the end of a text.
func enAdverbsEnd(before string) string {
	return enAdverbs.cutEnds(strings.TrimRight(before, " "))
}

// former reports whether words before a cue put it into former times.
func former(before string) bool { return enFormer.ends(enAdverbsEnd(before)) != "" }

// perfect reports whether a verb in the past form still holds: I have lived.
func perfect(before string) bool { return enPerfect.ends(enAdverbsEnd(before)) != "" }

var (
	enAdverbs = setOf("| hella| mega| seriously| deeply| heavily| sooo| crazy| insanely| big time| over| down| up| back| here| out| really| even| that| so| all that| totally| particularly| much of| a| big| huge| really a| much| quite| exactly| actually| just| still| currently| ever| only| always| officially| now| also| probably| definitely| honestly| truly| especially| as| too| very| super| all| happily| finally| recently| already| the biggest| overly")
	enNot     = setOf("|dont|do not|doesnt|does not|not|never|cant|can not|wont|didnt|did not|isnt|aint|arent|wasnt|cannot|no longer|hardly|barely|couldnt|rarely|neither|nor|havent|hasnt|no more|nobody|without")
	// enBe are forms of be.
	enBe = setOf("|im|i am|am|is|are|'s|been|be|theyre|hes|shes|were|whos|was|who is|gotten|got|getting|get")
	// enVerbLeads stand between a person and a verb.
	enVerbLeads = setOf("|who|and|now|then|do|did|does|will|ill|have|has|had|been|still|also|dont|doesnt|didnt|not|never|no longer|cant|but|or|days|since|grown to|come to|came to|learned to|started to|begun to|get to|got to|used to|gets to|happy to|proud to|lucky to|excited to|going to|gonna|kinda|kind of|sort of|here|so|really|gotta|lowkey|highkey|fully|absolutely|truly|deeply|secretly|too|would|btw|lol|guys|tbh|ngl|week|month|year|today|job")
	enFormer    = setOf("|used to|used to be|formerly|previously|before i|before we|back when i|back when we|when i|when we|while i|once|almost|nearly|could have|would have|should have|years ago i|as a kid i|as a child i|growing up i|until i|till i|if i|if we|wish i|could|might|may|would|let me|lets|want to|wanna|would like to|would love to|people who|those who|anyone who")
	enPerfect   = setOf("|have|has|ive|weve|theyve|hes|shes|'s|have been|has been")
)
