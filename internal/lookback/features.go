package lookback

import "math"

// A Feature is the index of a number that the trees test.
type Feature uint8

const (
	fTo Feature = iota // 4 addresses the bot, 3 names the bot, 2 names nobody, 1 names others, 0 addresses another person
	fColon
	fNames
	fMe      // chance that it continues a line of the bot
	fSame    // a line of its author
	fOthers  // a line of others
	fNew     // none
	fMine    // a line that the bot answered
	fDirect  // chance that it addresses the bot: it continues the bot's line, or its author's line to the bot
	fThread  // chance that the bot takes part in its thread
	fPart    // the same, by the answers of the bot
	fBest    // chance of the best candidate
	fBestWho // its author: 0 none, 1 the bot, 2 the same author, 3 another
	fBestDistance
	fBestGap
	fPrevDirect // of the author's previous line
	fPrevThread
	fPrevGap
	fPrevAnswered
	fOwnGap // since the bot's last line
	fOwnDistance
	fOwnFew
	fOwnMany
	fOwnNear
	fOwnWords // shared with a line of the bot
	fPartner
	fFromMeGap // since the bot's last line to its author
	fFromMeDistance
	fFromMeN
	fToOtherGap // since its author's last line to somebody else
	fByOtherGap // since the last line of somebody else to its author
	fByOtherLast
	fAuthorLines
	fOpen   // lines to the bot since its last line
	fActive // people in the last lines
	fRate
	fLineGap
	fClass
	fQuestion
	fExclaimed
	fSelf
	fYou
	fShort
	fLength
	fUncalled // share of the bot's lines that nobody asked for
	fReplied  // share of the lines to the bot that it answered
	fReturned // share of the lines with the bot's name that it answered
	fAnswers  // share of the bot's lines with an answer
	fAsked    // share of the bot's lines with a question
	fEnd      // last character of the text
	fNamed    // weight of its words for an answer by the named person
	fAnybody  // weight of its words for an answer by anybody
	fDyad     // share of the author's lines to the bot that it answered
	fMeAsk    // chance that it continues a question of the bot
	fBursts   // how often its author continues before an answer
	fLonger   // words above the average of its author's lines
	fLatency  // response time of the bot
	fOwnLines // lines of the bot
	fByOtherN // lines of others to its author
	fAskedN   // questions of the bot to its author
	fPrevDistance
	fHelped // share of new people's questions that the bot answered
	fNaming // share of the last lines that name somebody; only Plain tests it

	NumFeatures // number of features
)

// Names holds the names of the features in the weights file.
var Names = [NumFeatures]string{
	"to", "colon", "names", "me", "same", "others", "new", "mine", "direct", "thread", "part", "best", "best_who",
	"best_distance", "best_gap", "prev_direct", "prev_thread", "prev_gap", "prev_answered", "own_gap", "own_distance",
	"own_few", "own_many", "own_near", "own_words", "partner", "from_me_gap", "from_me_distance", "from_me_n",
	"to_other_gap", "by_other_gap", "by_other_last", "author_lines", "open", "active", "rate", "line_gap", "class",
	"question", "exclaimed", "self", "you", "short", "length", "uncalled", "replied", "returned", "answers", "asked",
	"end", "words_named", "words_open", "dyad", "me_ask", "bursts", "longer", "latency", "own_lines", "by_other_n", "asked_author", "prev_distance", "helped",
	"naming",
}

// A Group is a group of features with one subject.
type Group uint8

// The groups of features.
const (
	OfAddress  Group = iota // addressees of the line
	OfThread                // the thread that it continues
	OfPartner               // earlier exchanges of its author and the bot
	OfPresence              // recent lines of the bot
	OfWords                 // its words and length
	OfHabit                 // earlier behavior of the bot
	OfOthers                // lines of others to its author
	OfPace                  // speed of the chat
	Groups                  // number of groups
)

// GroupOf holds the group of each feature.
var GroupOf = [NumFeatures]Group{
	fTo: OfAddress, fColon: OfAddress, fNames: OfAddress,
	fMe: OfThread, fSame: OfThread, fOthers: OfThread, fNew: OfThread, fMine: OfThread, fDirect: OfThread,
	fThread: OfThread, fPart: OfThread, fBest: OfThread, fBestWho: OfThread, fBestDistance: OfThread, fBestGap: OfThread,
	fPrevDirect: OfThread, fPrevThread: OfThread, fPrevGap: OfThread, fOwnWords: OfThread, fMeAsk: OfThread, fPrevDistance: OfThread,
	fPartner: OfPartner, fFromMeGap: OfPartner, fFromMeDistance: OfPartner, fFromMeN: OfPartner, fDyad: OfPartner, fAskedN: OfPartner,
	fOwnGap: OfPresence, fOwnDistance: OfPresence, fOwnFew: OfPresence, fOwnMany: OfPresence, fOwnNear: OfPresence, fOpen: OfPresence,
	fClass: OfWords, fQuestion: OfWords, fExclaimed: OfWords, fSelf: OfWords, fYou: OfWords, fShort: OfWords, fLength: OfWords, fEnd: OfWords, fNamed: OfWords, fAnybody: OfWords, fLonger: OfWords,
	fUncalled: OfHabit, fReplied: OfHabit, fReturned: OfHabit, fAnswers: OfHabit, fAsked: OfHabit, fHelped: OfHabit, fLatency: OfHabit, fOwnLines: OfHabit,
	fPrevAnswered: OfOthers, fToOtherGap: OfOthers, fByOtherGap: OfOthers, fByOtherLast: OfOthers, fAuthorLines: OfOthers, fByOtherN: OfOthers, fBursts: OfOthers,
	fActive: OfPace, fNaming: OfPace, fRate: OfPace, fLineGap: OfPace,
}

// Features are the features of one line.
type Features [NumFeatures]float32

const far = 1e6

// log is the scale of times and counts.
func log(x float64) float32 {
	switch {
	case x >= far:
		return logFar
	case x <= 0:
		return 0
	}
	return float32(math.Log1p(x))
}

// logOf is log of a whole number.
func logOf(n int64) float32 {
	if n >= 0 && n < int64(len(logs)) {
		return logs[n]
	}
	return log(float64(n))
}

var (
	logFar = float32(math.Log1p(far))
	logs   = func() (of [512]float32) { // most of what is asked for
		for n := range of {
			of[n] = log(float64(n))
		}
		return of
	}()
)

func since(now, then int64) float32 {
	if then < 0 || now-then > far {
		return logFar
	}
	return logOf(now - then)
}

func when(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
