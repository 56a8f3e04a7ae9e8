package memory

// baseForm returns the base form of an irregular English form or the usual word for a colloquial one, so that they are one term. It
// returns "" for all other words.
func baseForm(word string) string {
	switch word {
	case "began", "begun":
		return "begin"
	case "broke", "broken":
		return "break"
	case "brought":
		return "bring"
	case "built":
		return "build"
	case "bought":
		return "buy"
	case "caught":
		return "catch"
	case "chose", "chosen":
		return "choose"
	case "came":
		return "come"
	case "drew", "drawn":
		return "draw"
	case "drank", "drunk":
		return "drink"
	case "drove", "driven":
		return "drive"
	case "ate", "eaten":
		return "eat"
	case "fell", "fallen":
		return "fall"
	case "felt":
		return "feel"
	case "fought":
		return "fight"
	case "found":
		return "find"
	case "flew", "flown":
		return "fly"
	case "forgot", "forgotten":
		return "forget"
	case "got", "gotten":
		return "get"
	case "gave", "given":
		return "give"
	case "went", "gone", "goes":
		return "go"
	case "grew", "grown":
		return "grow"
	case "heard":
		return "hear"
	case "hid", "hidden":
		return "hide"
	case "held":
		return "hold"
	case "kept":
		return "keep"
	case "knew", "known":
		return "know"
	case "led":
		return "lead"
	case "left":
		return "leave"
	case "lent":
		return "lend"
	case "lost":
		return "lose"
	case "made":
		return "make"
	case "meant":
		return "mean"
	case "met":
		return "meet"
	case "paid":
		return "pay"
	case "rode", "ridden":
		return "ride"
	case "rose", "risen":
		return "rise"
	case "ran":
		return "run"
	case "said":
		return "say"
	case "saw", "seen":
		return "see"
	case "sold":
		return "sell"
	case "sent":
		return "send"
	case "shot":
		return "shoot"
	case "shown":
		return "show"
	case "sang", "sung":
		return "sing"
	case "sat":
		return "sit"
	case "slept":
		return "sleep"
	case "spoke", "spoken":
		return "speak"
	case "spent":
		return "spend"
	case "stood":
		return "stand"
	case "stole", "stolen":
		return "steal"
	case "swam", "swum":
		return "swim"
	case "took", "taken":
		return "take"
	case "taught":
		return "teach"
	case "told":
		return "tell"
	case "thought":
		return "think"
	case "threw", "thrown":
		return "throw"
	case "understood":
		return "understand"
	case "woke", "woken":
		return "wake"
	case "wore", "worn":
		return "wear"
	case "won":
		return "win"
	case "wrote", "written":
		return "write"

	case "kid", "kids", "children":
		return "child"
	case "men":
		return "man"
	case "women":
		return "woman"
	case "feet":
		return "foot"
	case "teeth":
		return "tooth"
	case "lives":
		return "life"
	case "mom", "moms", "mum", "mommy":
		return "mother"
	case "dad", "dads", "daddy":
		return "father"
	case "grandma", "granny":
		return "grandmother"
	case "grandpa":
		return "grandfather"
	case "fam":
		return "family"
	case "pic", "pics", "picture", "pictures":
		return "photo"
	case "fave", "favourite":
		return "favorite"
	case "films", "film":
		return "movie"
	case "bikes", "bike":
		return "bicycle"
	case "shop", "shops":
		return "store"
	case "tv":
		return "television"
	case "holiday", "holidays":
		return "vacation"
	case "journey", "travel", "travels":
		return "trip"
	}
	return ""
}
