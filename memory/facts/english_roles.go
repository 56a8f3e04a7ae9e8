package facts

import (
	"strings"
)

// enRole reads an occupation.
func (r *englishReader) enRole(s *sentence) bool {
	if r.each(s, enRole, func(subject, before, w, after string) bool {
		if former(before) || negated(before) || strings.HasPrefix(w, "becom") && strings.HasSuffix(before, "to ") || enIsRole.is(w) && (len(s.all) == 0 && (before != "" || subject == r.speaker) || !s.adjacent(before)) || (w == "is a" || w == "is an") && subject == r.speaker || strings.HasPrefix(w, "switch") && !strings.HasSuffix(w, "being") && !enJobNews.in(r.whole) && !enJobWords.in(r.whole) ||
			(w == "as a" || w == "as an" || w == "as the") && !r.speaksAs(s, before, after) || enArticleRole.is(w) && enBeing.ends(enAdverbsEnd(before)) == "" || enNoRole.in(s.low) {
			return false
		}
		role := roleOf(s.tail(after), enStrongRole.is(w))
		return role != "" && r.add(subject, Job, role, false)
	}) {
		return true
	}
	before, w, _ := enTrade.find(s.low) // nurse by trade
	if w == "" {
		return false
	}
	head := s.text[len(before)-len(enLeads.cutAll(before)) : len(before)]
	role := roleOf(head, false)
	return role != "" && len(strings.Fields(role)) == len(strings.Fields(head)) && r.add(r.subjectOr(s, 0), Job, role, false)
}

// speaksAs reports whether "as a nurse" tells what the speaker is: "as a nurse I approve".
func (r *englishReader) speaksAs(s *sentence, before, after string) bool {
	return enJobWords.in(before) || enLeads.cutAll(before) == "" && (enSelf.in(after) || len(strings.Fields(after)) < 4 && enSelf.in(r.whole[max(0, strings.LastIndex(r.whole, s.low)):]))
}

// roleOf returns the occupation at the start of a text. Without known only what looks like one is an occupation.
func roleOf(text string, known bool) string {
	text = strings.TrimLeft(text, " ")
	for again := true; again; {
		text, again = cutFold(text, "a ", "an ", "the ", "their ", "their new ", "professional ", "full-time ", "full time ", "fulltime ", "part-time ", "part time ", "certified ", "licensed ", "registered ", "humble ", "proud ", "real ", "actual ", "freaking ", "new ", "newest ", "fully qualified ", "qualified ", "trained ", "working ", "practicing ", "practising ", "official ", "freshly minted ", "newly minted ", "brand new ", "being a ", "happy ", "simple ", "mere ", "lowly ", "literal ", "whole ", "paid ", "resident ", "tired ", "broke ", "local ", "remote ", "freelance ")
	}
	if before, w, _ := enRoleStops.find(lowerASCII(text)); w != "" && before != "" {
		text = text[:len(before)]
	}
	v := englishValue(cutTime(text))
	low := lowerASCII(v)
	if v == "" || strings.ContainsAny(v, "0123456789/\\<>:") || len(strings.Fields(v)) > 3 || endsWithWord(noRoles, low) || enPersons.in(low) {
		return ""
	}
	if animal, _ := animalEnd(low); animal {
		return ""
	}
	if known && !isName(v) {
		return v
	}
	last := v[strings.LastIndexByte(v, ' ')+1:]
	if _, is := cutEndAny(low, englishRoles); !is {
		return ""
	}
	if isName(last) && last != strings.ToUpper(last) && strings.HasSuffix(low, "er") || isName(v) && strings.HasSuffix(low, "resident") {
		return ""
	}
	return v
}

// endsWithWord reports whether one of the words is the last one of a text.
func endsWithWord(words *wordSet, text string) bool {
	w := words.ends(text)
	return w != "" && (len(w) == len(text) || text[len(text)-len(w)-1] == ' ' || text[len(text)-len(w)-1] == '-')
}

func animalEnd(low string) (bool, string) { w := enAnimals.ends(low); return w != "" && w == low, w }

var (
	enRole = setOf("|life as a|life as an|paid to be a|paid to be an|qualified|been a|been an|work as|works as|working as|worked as|job as|jobs as|position as|hired as|hired on as|hired me as|took me on as|brought me on as|became|become|becoming|switched to being|switched to|switched over to|switching to|went from being|went into|promoted to|im a|im an|i am a|i am an|is a|is an|s a|s an|officially a|officially an|now a|now an|training as|trained as|qualified as|licensed as|being a|being an|career as|gig as|role as|start as|started as|starting as|started out as|start out as|employed as|is now a|is now an|living as|a job as|day job is|my job is|job is being|make a living as|making a living as|earn a living as|earn my living as|make my living as|pay the bills as|pays the bills as|im now a|im now an|im just a|as a|as an|as the|my title is|job title is|new title is|title is now|occupation is|profession is|trade is|career is|turned|turned into a|made me|made me a|made me the|im the new|is the new|the new|a new|go by|serving as|serve as|retrained as|moonlighting as|moonlight as|work is|for work im a|call me|nowadays a|-turned out|-turned on|-turned off|-turned up|-turned down|-made me laugh|-made me cry|-call me when|-as a kid|-as a child|-as a joke|-as a treat|-as a result|-as a teenager|-as a team|-as a friend|-as a whole|-as a rule|-as a gift|-as a pet|-as an adult|-as a matter of fact|-the new season")
	// enStrongRole cues have an occupation behind them.
	enStrongRole  = setOf("|work as|works as|working as|job as|jobs as|position as|hired as|hired on as|hired me as|took me on as|brought me on as|promoted to|training as|trained as|qualified as|licensed as|career as|gig as|role as|started as|starting as|started out as|employed as|living as|make a living as|making a living as|earn a living as|earn my living as|make my living as|pay the bills as|pays the bills as|my title is|job title is|new title is|title is now|occupation is|profession is|moonlighting as|moonlight as|retrained as|serving as")
	enTrade       = setOf("|is my job|is my job title|is my title|is my profession|is my occupation|is my day job|is what i do now|is what i do for|by trade|by profession|by day|here|myself|for a living|work full time|work for a living")
	enIsRole      = setOf("|is a|is an|s a|s an|is the new|is now a|is now an|been a|been an")
	enSelf        = setOf(" i im my myself ive we")
	enArticleRole = setOf("|the new|a new")
	enNoRole      = setOf("|support|supporting|main|mains|maining|playing as|play as|spec|build|role in|dress up|dressed up|cosplay|cosplaying|character|pretend|costume|undercover|disguised|skin")
	enRoleStops   = setOf("|i|im|you|we|of|now|at|by|irl|for|in|and|but|so|these|since|lol|lmao|here|full|so if|who|with|from|on|as|ask|if|today|officially|again|by trade|by day|myself|nowadays|after|because|cause|cuz|instead|anymore|this|next|starting|though|too|over|job|position|gig|role|working|haha|work|yay|finally|yesterday|currently|starting|last|until|when|where|to|actually|believe|btw")

	englishRoles = []string{"er", "or", "ist", "ian", "man", "woman", "nurse", "chef", "cook", "pilot", "student", "clerk", "lawyer", "engineer", "dev", "teacher", "doctor", "driver", "vet", "dj", "judge", "guard", "agent", "coach", "barista", "accountant", "consultant", "intern", "freelancer", "surgeon", "artist", "sysadmin", "admin", "paralegal", "paramedic", "medic", "mechanic", "pm", "temp", "emt", "cna", "rn", "lpn", "swe", "sde", "tech", "analyst", "assistant", "attendant", "architect", "sailor", "soldier", "professor", "prof", "cop", "nanny", "lead", "rep", "devops", "sre", "dba", "pa", "ta", "midwife", "housewife", "detective", "executive", "hygienist", "apprentice", "resident", "scientist", "priest", "pastor", "rabbi", "imam", "model", "host", "hostess", "waitress", "actress", "seamstress", "stewardess", "monk", "nun", "chaplain", "diplomat", "astronaut", "bouncer", "librarian", "concierge", "deputy", "sergeant", "officer", "aide", "tutor", "janitor", "custodian", "carpenter", "handyman", "electrician", "butcher", "tailor", "valet", "usher", "clown", "magician", "comedian", "critic", "secretary", "notary", "trainee", "referee", "umpire", "specialist", "associate", "advocate", "counsel", "entrepreneur", "founder", "ceo", "cto", "cfo", "vp", "au pair", "postdoc", "fellow", "hand", "postie", "tradie", "sparky", "brickie", "bookie", "bellhop", "busboy", "cowboy", "sommelier", "masseuse", "masseur", "chauffeur", "restaurateur", "conductor", "ranger", "marine", "medical student", "crew", "principal", "dean", "correspondent", "superintendent", "undertaker", "shepherd", "archaeologist", "mason", "smith", "wright", "monger", "keeper", "worker", "guide", "scribe", "linguist", "chemist", "typist", "dietitian", "nutritionist"}
	noRoles      = setOf("|user|users|server|host|starter|viewer|editor|holder|debian|installer|stockholder|browser|compiler|newbie|helper|pointer|adapter|adopter|londoner|new yorker|berliner|new user|believer|foreigner|enjoyer|gamer|beginner|winner|loser|believer|lover|owner|hater|fan|player|member|monster|disaster|mayor|newcomer|sucker|partner|brother|sister|mother|father|other|another|ever|over|summer|winter|number|matter|morning person|human|never|after|under|bother|danger|error|mirror|color|either|neither|together|dinner|paper|water|keyboard warrior|gangster|hipster|vegetarian|stoner|insider|outsider|later|better|doctor who|night owl|former|minor|major|senior|junior|early riser|homeowner|man|woman|killer|banger|stunner|bummer|breaker|changer|virgin|christian|italian|canadian|australian|american|asian|indian|brazilian|norwegian|russian|egyptian|nigerian|iranian|hungarian|austrian|ukrainian|belgian|introvert|extrovert|keeper|believer|pescatarian|pedestrian|millionaire|main|smoker|drinker|sinner|liar|cancer|taurus|libra|behavior|neighbor|visitor|god|goat|legend|mess|resident|local|native|friend|regular|customer|subscriber|follower|supporter|stranger|teenager|thing|of them|one|collector|reader|thinker|learner|sleeper|overthinker|procrastinator|perfectionist|feminist|master|tier|for|nor|their own|hr|er)")
)
