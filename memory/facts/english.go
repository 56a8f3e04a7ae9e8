package facts

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An englishReader reads one English message.
type englishReader struct {
	reader
	whole string   // the message in lower case
	cues  uint8    // the kinds of cues in the message
	off   bool     // the message tells that something is off
	firm  string   // after at in a clause before
	last  string   // a short sentence before
	asked Relation // a label or a question before tells what follows: New job?
}

// english reads an English text sentence by sentence. The text is plain; see plainEnglish.
func (r *englishReader) english(text string) {
	r.whole = lowerASCII(text)
	if r.cues = enCues.in(r.whole); r.cues == 0 {
		return
	}
	if r.has(otherCues) {
		r.englishBirthday(text)
	}
	r.off = r.has(planCues) && enOff.in(r.whole)
	comma := false
	for text != "" {
		end := enEnd(text)
		one := strings.TrimSpace(text[:end])
		low := lowerASCII(one)
		mark := byte(0)
		if end < len(text) {
			mark = text[end]
		}
		asks := mark == '?' && !enRhetorical.begin(low) && !enRhetorical.begin(enLeads.cutAll(low)) && !strings.HasPrefix(text[end+1:], "!")
		if rest, ok := cutFold(one, "who "); ok && comma && r.subject != "" { // ask Alice, who works at Nokia
			one, low = rest, lowerASCII(rest)
			if r.named != "" {
				r.subject = r.named
			}
		}
		comma = mark == ','
		text = text[min(len(text), end+1):]
		switch {
		case one == "":
		case enIf.begin(enLeads.cutAll(low)): // what follows says nothing
			text = ""
		case asks || enAsks.begin(low):
			r.question(one, low)
		default:
			n := len(r.claims)
			if mark == '?' { // remember my plan to move? It's off
				r.planned = planIn(one, low)
			}
			r.sentence(r.newSentence(one))
			if len(r.claims) > n {
				continue
			}
			if mark == ':' || mark == '?' || len(strings.Fields(one)) < 4 && enNewOne.begin(low) {
				r.asked = enLabel(low)
			}
		}
	}
	if len(r.claims) > 0 && (enInGame.in(r.whole) || enUnreal.in(r.whole) || enSarcasm.begin(r.whole)) {
		r.claims = slices.DeleteFunc(r.claims, func(c Claim) bool { return c.Relation == Place || c.Relation == Job || c.Relation == Pet })
	}
}

// enUnreal words mean that somebody lives or works somewhere only in words.
var enUnreal = setOf("|mentally|spiritually|in spirit|in theory|on paper|manifesting|rent free|guess i live|guess im living|might as well live|might as well move|basically live|practically live|pretty much live|feels like i live|feel like i live|practically a|basically work|swear im moving|thats it|screw this|forget this|street view|google earth|another universe|when i grow up|own half|said nobody|yeah sure|oh sure|just messing|just playing|just teasing|believed me|had you going|haha no|lol no|lmao no|or do i|or am i|may or may not|you wish|prime minister")

// enSarcasm begins what is meant the other way round.
var enSarcasm = setOf("|yeah sure|oh sure|sure sure|yeah right|oh yeah sure|oh yeah right|yeah and i|yes and i|yup and i|sure and i|right and i|oh totally|yeah totally|suure|suuure|riiight|riight|of course i live|of course im living|oh of course|naturally i live|ha ha|me, living|me living in")

// enInGame words mean that somebody lives or works in a game.
var enInGame = setOf("|in minecraft|in sims|in the sims|in gta|in animal crossing|in roblox|in skyrim|in stardew|in stardew valley|in rdr2|in fallout|in cities skylines|in genshin|in ffxiv|in wow|in my save|on my island|in my novel|on my server|on our server")

// has reports whether the message has cues of some kinds.
func (r *englishReader) has(kinds uint8) bool { return r.cues&kinds != 0 }

// enIf begins a condition. The hidden words are only polite.
var enIf = setOf("|if|unless|-if anyone|-if anybody|-if you need|-if you must|-if youre|-if you are|-if u|-if ur|-if you want|-if you ever|-if you didnt|-if you havent|-if you dont|-if you wonder|-if youve|-if you guys|-if y'all|-if yall|-if you see|-if you look|-if you live|-if its not obvious|-if interested|-if im honest|-if im being|-if we are being|-if i may|-if i say so|-if i remember|-if im not|-if it matters|-if that matters|-if that helps|-if it helps|-if nobody|-if somebody|-if someone|-if people|-if not|-if i seem|-if i sound|-if i look|-if im slow|-if im quiet|-if im late|-if i havent|-if i disappear|-if theres one|-if there is one|-if you can|-if you know|-if ya|-if my")

// enAsks begin a question, also without its mark.
var enAsks = setOf("|who|what|where|when|how|why|anyone|anybody|does|do you|do u|is it|is there|are you|are there|are we|can you|can u|can someone|could|should|has anyone|is the|which|whos|whose|is anyone|-what a|-how cool|-who knew|-how exciting|-guess")

// enRhetorical texts begin a question that tells something.
var enRhetorical = setOf("|did i tell|guess who|guess what|guess where|guess whos|remember|so remember|did you hear|did u hear|did you all hear|did yall hear|have you heard|have i told|have i mentioned|did i mention|did i say|did you know|you know how|you know what|did u see|did you see|did u guys see|did you guys see|did you guys hear|did you all see|can you believe|can u believe|would you believe|who knew|who would have thought|believe it or not")

// plainEnglish removes apostrophes, except before a possessive s, and makes an emoji a full stop.
func plainEnglish(text string) string {
	if strings.IndexByte(text, '\'') < 0 && strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 {
		return text
	}
	text = enPunctuation.Replace(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isEmoji(c):
			b.WriteByte('.')
		case c != '\'' || !inVerb(text, i):
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

var enPunctuation = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "—", " - ", "–", " - ", "…", "...", "！", "!", "，", ", ", "。", ". ", "？", "?")

// inVerb reports whether the apostrophe at i shortens a verb, such as in I'm and it's.
func inVerb(text string, i int) bool {
	if i == 0 || i+1 == len(text) || !isLetter(text[i-1]) || !isLetter(text[i+1]) {
		return false
	}
	possessive := text[i+1]|0x20 == 's' && (i+2 == len(text) || !isLetter(text[i+2]))
	return !possessive || pronounS.ends(lowerASCII(text[:i])) != ""
}

// pronounS stand before an 's that is no possessive.
var pronounS = setOf(" it that he she there who what let here where -with -sit")

// enEnd returns the end of the first sentence or clause.
func enEnd(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '!', ';', ',', '\n', '?', '(', ')', ':':
			return i
		case '-':
			if i > 0 && text[i-1] == ' ' && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '-') {
				return i
			}
		case '.':
			if (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '.' || text[i+1] == '\n') && !abbreviated(text[:i]) {
				return i
			}
		}
	}
	return len(text)
}

// abbreviated reports whether a full stop after a text only shortens a word: St. Louis, J. Crew.
func abbreviated(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	switch word {
	case "St", "Mt", "Ft", "Dr", "Mr", "Mrs", "Ms", "Jr", "Sr", "Prof", "St.", "vs", "a.k.a":
		return true
	}
	return len(word) == 1 && word != "I" && 'A' <= word[0] && word[0] <= 'Z' && len(text) > 1
}

// lowerASCII returns a text with lower letters. Its bytes correspond to those of the text.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// sentence applies the rules to a sentence. The first rule that matches wins.
func (r *englishReader) sentence(s *sentence) {
	n := len(r.claims)
	asked := r.asked
	_ = (r.has(planCues) || r.planned != "") && r.enPlanEnd(s) || r.has(petCues) && r.enPetEnd(s) || r.has(planCues) && r.enPlan(s) || r.has(jobCues) && r.enJob(s) ||
		r.has(homeCues) && r.enHome(s) || r.has(petCues) && r.enPets(s) || r.has(tasteCues) && r.enLikes(s) || r.answer(s)
	for _, m := range s.all {
		if m.nobody {
			continue
		}
		if r.subject = m.id; m.id != "" {
			break
		}
	}
	if r.last = ""; len(r.claims) == n && len(s.all) == 0 && len(strings.Fields(s.text)) < 4 && !enLeads.is(s.low) {
		r.last = englishValue(s.text)
	}
	if r.asked == asked {
		r.asked = ""
	}
	if len(r.claims) == n && r.has(tasteCues|homeCues|jobCues) {
		r.remember(s)
	}
	if r.has(otherCues) {
		r.moving = r.moving || enMoving.in(s.low)
		r.aboutJob = r.aboutJob || enJobNews.in(s.low)
	}
}

// remember keeps what a sentence is about, for the next ones.
func (r *englishReader) remember(s *sentence) {
	if _, w, after := enTopics.findLast(s.low); w != "" { // can't beat chess, I love it
		r.object = s.value(after)
	} else if before, w, _ := enIs.find(s.low); w != "" { // chess is so much fun, I love it
		r.object = s.leftValue(before)
	}
	if _, w, after := enAt.findLast(s.low); w != "" {
		if r.firm = s.firm(after); !isName(r.firm) && !strings.HasPrefix(r.firm, "the ") {
			r.firm = ""
		}
	}
	if _, w, after := enFromIn.findLast(s.low); w != "" {
		r.city = s.place(after)
	}
}

// enJobNews words tell of a change of jobs.
var enJobNews = setOf("|handed in notice|handed in her notice|handed in his notice|handed in their notice|rumor has it|no longer with|no longer at|let go|laid off|layoffs|layoff|last day at|job|jobs|hired|gig|career|careers|old place|left my old|employer|employment|offer|new workplace|position|onboarding|resigned|two weeks notice|quit")
