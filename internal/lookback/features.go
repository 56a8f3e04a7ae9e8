package lookback

import "math"

// A Feature is a number that the gate's trees ask for.
type Feature uint8

const (
	fTo Feature = iota // 4 said to me, 3 names me, 2 names nobody, 1 names others, 0 said to another
	fColon
	fNames
	fMe      // chance that it goes on with a line of mine
	fSame    // with one of its author
	fOthers  // with one of others
	fNew     // with none
	fMine    // with one that I answered
	fDirect  // chance that it is said to me: it goes on with me, or with what was said to me by its author
	fThread  // chance that I have part in its thread
	fPart    // the same, where answering a line makes it mine
	fBest    // chance of the likeliest
	fBestWho // whose that is: 0 none, 1 mine, 2 its author's, 3 another's
	fBestDistance
	fBestGap
	fPrevDirect // of the author's line before
	fPrevThread
	fPrevGap
	fPrevAnswered
	fOwnGap // since I spoke
	fOwnDistance
	fOwnFew
	fOwnMany
	fOwnNear
	fOwnWords // shared with one of mine
	fPartner
	fFromMeGap // since I spoke to its author
	fFromMeDistance
	fFromMeN
	fToOtherGap // since its author spoke to somebody else
	fByOtherGap // since somebody else spoke to its author
	fByOtherLast
	fAuthorLines
	fOpen   // lines said to me since I spoke
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
	fUncalled // how much of what I say was not asked of me
	fReplied  // how much of what was said to me I answered
	fReturned // how much of what named me I answered
	fAnswers  // how many of my lines answer
	fAsked    // how many of my lines ask
	fEnd      // what the text ends with
	fNamed    // what its words say of an answer by whom it names
	fAnybody  // the same of an answer by anybody
	fDyad     // how much of what its author said to me I answered
	fMeAsk    // chance that it goes on with a question of mine
	fBursts   // how often its author goes on before an answer
	fLonger   // words more than its author's lines have
	fLatency  // how long I take to answer
	fOwnLines // lines of mine
	fByOtherN // how often others spoke to its author
	fAskedN   // my questions to its author
	fPrevDistance
	fHelped // how many questions of new people I answered

	NumFeatures // how many there are
)

// Names of the features, as the file of weights has them.
var Names = [NumFeatures]string{
	"to", "colon", "names", "me", "same", "others", "new", "mine", "direct", "thread", "part", "best", "best_who",
	"best_distance", "best_gap", "prev_direct", "prev_thread", "prev_gap", "prev_answered", "own_gap", "own_distance",
	"own_few", "own_many", "own_near", "own_words", "partner", "from_me_gap", "from_me_distance", "from_me_n",
	"to_other_gap", "by_other_gap", "by_other_last", "author_lines", "open", "active", "rate", "line_gap", "class",
	"question", "exclaimed", "self", "you", "short", "length", "uncalled", "replied", "returned", "answers", "asked",
	"end", "words_named", "words_open", "dyad", "me_ask", "bursts", "longer", "latency", "own_lines", "by_other_n", "asked_author", "prev_distance", "helped",
}

// Group is what a feature tells of.
type Group uint8

// The groups.
const (
	OfAddress  Group = iota // whom the line is to
	OfThread                // the thread that it goes on with
	OfPartner               // what its author and I had with each other
	OfPresence              // what I said of late
	OfWords                 // its words and length
	OfHabit                 // how I am used to behave
	OfOthers                // what others say to its author
	OfPace                  // how fast the chat goes
	Groups                  // how many there are
)

// GroupOf is the group of each feature.
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
	fActive: OfPace, fRate: OfPace, fLineGap: OfPace,
}

// Features of one line.
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

var logFar = float32(math.Log1p(far))

func since(now, then int64) float32 {
	if then < 0 || now-then > far {
		return log(far)
	}
	return log(float64(now - then))
}

func when(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
