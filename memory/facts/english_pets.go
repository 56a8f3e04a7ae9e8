package facts

import (
	"strings"
)

// animalAfter returns the animal at the start of a text.
func animalAfter(s *sentence, after string) string {
	text := strings.TrimLeft(s.text[len(s.text)-len(after):], " :")
	for again := true; again; {
		if text, again = cutFold(text, "a ", "an ", "the ", "my ", "our ", "another ", "this ", "her ", "his ", "their ", "me a ", "us a ", "myself a ", "ourselves a ", "one more "); !again {
			low := lowerASCII(text)
			if first, rest, ok := strings.Cut(text, " "); ok && strings.HasSuffix(first, "est") { // the cutest
				text, again = rest, true
				continue
			}
			if w, _ := enAdjectives.begins(low); w != "" && len(w) < len(text) && (text[len(w)] == ' ' || text[len(w)] == '-') {
				text, again = text[len(w)+1:], true
			}
		}
	}
	low := lowerASCII(text)
	before, w, rest := enAnimals.find(low)
	if w == "" || len(strings.Fields(before)) > 2 || strings.ContainsAny(before, ",.'") || enStops.in(before) || enPersons.in(before) || enNoPet.in(before) {
		return ""
	}
	for { // the last animal of beagle puppy
		next := strings.TrimLeft(rest, " ")
		more, _ := enAnimals.begins(next)
		if more == "" {
			break
		}
		rest = next[len(more):]
	}
	if enNoPet.begin(strings.TrimLeft(rest, " ")) || strings.HasPrefix(rest, "'s ") {
		return ""
	}
	v := strings.TrimSpace(text[:len(text)-len(rest)])
	if enMeat.is(lowerASCII(v)) && enMeals.in(s.low) {
		return ""
	}
	return v
}

func (r *englishReader) enPets(s *sentence) bool {
	if r.each(s, enOwn, func(subject, before, w, after string) bool {
		v := animalAfter(s, after)
		if v == "" || negated(before) || former(before) || enWishPet.ends(enAdverbsEnd(before)) != "" || w == "new" && !strings.Contains(s.low, "home") && !strings.Contains(s.low, "meet") {
			return false
		}
		if isVermin(v) && !enRescues.in(w) {
			return false
		}
		r.add(subject, Pet, v, false)
		if _, more, ok := strings.Cut(after, lowerASCII(v)+" and "); ok && enOneArticle.begin(more) { // a beagle and a cat
			if v := animalAfter(s, more); v != "" {
				r.add(subject, Pet, v, false)
			}
		}
		return true
	}) {
		return true
	}
	if before, w, after := enGiven.find(s.low); w != "" { // surprised me with a puppy
		id, rest := r.receiver(s, after)
		rest, _ = cutAny(strings.TrimLeft(rest, " "), []string{"with ", "into getting ", "into adopting ", "into "})
		if v := animalAfter(s, s.low[len(s.low)-len(rest):]); v != "" && id != "" && !negated(before) && enOneArticle.begin(rest) {
			return r.add(id, Pet, v, false)
		}
	}
	if _, w, who := enMine.find(s.low); w != "" && enHousehold.begin(strings.TrimLeft(who, " ")) { // my husband brought home a puppy
		if _, w, after := enBrought.find(who); w != "" {
			if v := animalAfter(s, after); v != "" {
				return r.add(r.speaker, Pet, v, false)
			}
		}
	}
	if _, w, after := enThere.find(s.low); w != "" && enMine.in(s.low) { // in my home there is a rabbit
		if v := animalAfter(s, after); v != "" && !isVermin(v) {
			return r.add(r.speaker, Pet, v, false)
		}
	}
	if r.ownerOf(s) {
		return true
	}
	for from := 0; ; {
		before, w, after := enMine.find(s.low[from:])
		if w == "" {
			break
		}
		if v := animalAfter(s, after); v != "" && len(strings.Fields(v)) < 4 && !isVermin(v) && enNotMine.ends(s.low[:from+len(before)]) == "" {
			return r.add(r.speaker, Pet, v, false)
		}
		from += len(before) + len(w)
	}
	if (r.newPet || enNewPet.in(s.low)) && (len(s.all) == 0 || s.all[0].id == r.speaker) && r.subject != "" { // new family member: a rabbit
		_, w, after := enNewPet.find(s.low)
		if w == "" {
			after = s.low[len(s.low)-len(enLeads.cutAll(s.low)):]
			after = s.low[len(s.low)-len(after):]
		}
		for _, is := range [...]string{" is ", " of "} {
			if i := strings.Index(after, is); i >= 0 {
				after = after[i+len(is)-1:]
			}
		}
		if v := animalAfter(s, after); v != "" {
			return r.add(r.subject, Pet, v, false)
		}
	}
	r.newPet = r.newPet || enNewPet.in(s.low)
	if before, w, _ := enAnimals.find(s.low); w != "" && (len(s.all) == 0 || s.all[0].id == r.speaker) && r.subject != "" && (enNewOne.in(before) && strings.Contains(s.low, "home") || enComes.in(s.low)) {
		at := 0
		if i := strings.LastIndex(before, "new "); i >= 0 {
			at = i + len("new")
		}
		v := animalAfter(s, s.low[at:])
		return v != "" && r.add(r.subject, Pet, v, false)
	}
	return false
}

// isVermin reports whether an animal is one that nobody wants at home, or a thing: my USB mouse.
func isVermin(v string) bool {
	low := lowerASCII(v)
	last := lastWords(low, 1)
	return enVermin.is(low) || last == "mouse" || last == "python" && !enSnakes.is(low)
}

// ownerOf reads "proud beagle owner" and "I'm a cat mom now".
func (r *englishReader) ownerOf(s *sentence) bool {
	before, w, after := enOwner.find(s.low)
	if w == "" || strings.HasPrefix(strings.TrimSpace(after), "of") || enAnimals.ends(strings.TrimRight(before, " -")) == "" {
		return false
	}
	words := strings.Fields(before)
	for n := 1; n <= min(4, len(words)); n++ {
		at := strings.LastIndex(before, strings.Join(words[len(words)-n:], " "))
		if at < 0 {
			continue
		}
		head := enAdverbsEnd(before[:at])
		if n < len(words) && enArticles.ends(head) == "" && enProud.ends(head) == "" || n == len(words) && enPersons.begin(before) {
			continue
		}
		v := animalAfter(s, s.low[at:])
		if v == "" || !strings.HasSuffix(strings.TrimRight(before, " -"), lowerASCII(v)) {
			continue
		}
		subject, ok := r.enSubject(s, at)
		return ok && !negated(before[:at]) && r.add(subject, Pet, v, false)
	}
	return false
}

// enPetEnd reads that somebody has an animal no more.
func (r *englishReader) enPetEnd(s *sentence) bool {
	before, w, after := enPetGone.find(s.low)
	if w == "" {
		return false
	}
	if enGive.is(w) && !strings.Contains(after, " away") && !strings.Contains(after, " up") {
		return false
	}
	text := after
	if enGoneAfter.is(w) {
		text = before
	}
	for from := 0; from < len(text); { // our old dog passed away; had to put our dog down
		lead, mine, rest := enMine.find(text[from:])
		if mine == "" {
			return false
		}
		from += len(lead) + len(mine)
		full := s.low[len(s.low)-len(rest):]
		if enGoneAfter.is(w) {
			full = s.low[len(before)-len(rest):]
		}
		if v := animalAfter(s, full); v != "" && len(v) <= len(rest) {
			return r.add(r.speaker, Pet, v, true)
		}
	}
	return false
}

var (
	enOwn        = setOf("|household with a|feeding the|walking the|walk the|feed the|gifted a|gifted an|look after a|looking after a|have the|got the|brought a|brought an|raise a|raise an|raises a|got a|got an|got us a|got myself a|got ourselves a|got our|got my|gotten a|getting a|get to keep a|have a|have an|has a|has an|having a|had a|adopted|adopting|adopt|bought a|bought an|own a|own an|owns a|owning a|picked up|picking up my|picking up our|brought home|bring home|brought back|took home|taking home|took on a|rescued|rescuing|took in|taken in|taking in|fostering|foster a|foster failed a|raising|keeping a|keep a|keeps a|kept a|welcomed|welcoming|welcome|bringing home|came home with|come home with|came back with|coming home with|went home with|walked out with|left with a|ended up with|wound up with|parent to|parents to|parent of|parents of|owner of|owners of|mom to|mom of|mum to|mum of|mama to|dad to|dad of|father of|mother of|human of|servant to|slave to|got two|got another|a new|taking care of my|gave in and got|caved and got|caved in and got|saved a|share my home with|share my flat with|share my apartment with|share my house with|sharing my flat with|sharing my home with|share a home with|live with a|living with a|lives with a|inherited|inherit a|talked into a|talked into getting|gained a|acquired|acquire a|obtained a|scored a|snagged a|found a home for a|given a home to|gave a home to|opened our home to|opened my home to|said yes to a|blessed with a|fell for a|fell in love with a|let a|chosen by a|adopted by a|owned by a|introducing my|introducing our|here is my|now with a|invested in a|splurged on a|made room for a|household has a|my first|our first")
	enHousehold  = setOf(" husband hubby wife wifey partner spouse kids kid son daughter boyfriend girlfriend bf gf fiance fiancee children")
	enBrought    = setOf("|brought home|came home with|brought back|brought us")
	enThere      = setOf("|theres a|theres an|theres now a|there is a|there is an|there is now a|there lives a")
	enWishPet    = setOf("|wish i|want|want to|could|should|might|if i|never|wish we")
	enGiven      = setOf("|surprised|gave|gifted|got|bought|brought|handed|convinced|talked|let|presented|blessed")
	enOneArticle = setOf(" a an the another into my this")
	enOwner      = setOf("|owner|owners|parent|parents|mom|mum|mama|momma|mommy|mother|dad|daddy|papa|father|guardian|household|family|slave|butler|servant|wrangler|haver|companion|person now|lady now|guy now|people now")
	enProud      = setOf("|proud|happy|new|certified|official|first-time|first time|became|become|now|as")
	enNewPet     = setOf("|new resident|new tenant|new inhabitant|family member|new roommate|new addition|addition to the family|addition to our family|latest addition|newest addition|newest member|new member|new pet|first pet|household member|got a pet|have a pet|adopted a pet|pet tax|new baby|my pet is|our pet is|new best friend|new friend at home|new flatmate|new housemate|tiny roommate|furry roommate|fur baby|furbaby|new boss at home|member of the family|member of our family|member of the household|pet of mine|pet at home")
	enNewOne     = setOf("|new|first|our|my|second")
	enComes      = setOf("|lives with me|lives with us|moved in with me|moved in with us|is part of the family|part of our family|acquired|unlocked|joined our family|joined the family|joined our household|joined my family|joined us|came home|coming home|followed me home|is home|home now|home today|home with us|home with me|arrived home|adopted me|adopted us|chose me|chose us|picked us|i adopted|we adopted|i rescued|we rescued|we got|i got|i bought|we bought|i have|we have")
	enMine       = setOf(" my our")
	enNotMine    = setOf("|not |like |reminds me of |instead of |miss |i want |rip |used to be ")
	enNoPet      = setOf(" scan feeder script scripts face library project projects nap ride shelter food video videos pic pics picture pictures food meme memes person people lady ears hair bed stream stickers emoji emote costume shirt mug cafe show park hotel clip gif joke sitter walker folder skin skins mount plush plushie toy toys figurine tattoo drawing photo photos shop store sound noises impression breath house shelter channel account lover lovers fan game app costume suit sandwich soup burger salad dinner leg wings nuggets nugget sticks fillet tank bowl years filter")
	enAnimals    = setOf("|cat|dog|kitten|kitty|puppy|pup|pupper|doggo|doggy|mongrel|rabbit|bunny|turtle|tortoise|terrapin|hamster|gerbil|parrot|parakeet|macaw|cockatoo|cockatiel|conure|budgie|budgerigar|canary|finch|lovebird|ferret|snake|python|boa|cornsnake|lizard|gecko|iguana|bearded dragon|chameleon|skink|tegu|fish|goldfish|betta|guppy|koi|cichlid|guinea pig|cavy|beagle|basset|hound|bloodhound|corgi|poodle|husky|labrador|lab|retriever|shepherd|terrier|westie|yorkie|pitbull|pit bull|pittie|staffy|bulldog|frenchie|pug|dachshund|sausage dog|chihuahua|shiba|shiba inu|akita|dalmatian|rottweiler|rottie|doberman|collie|sheepdog|spaniel|cavalier|cocker|schnauzer|pomeranian|samoyed|malamute|maltese|havanese|bichon|papillon|pekingese|greyhound|whippet|weimaraner|vizsla|mastiff|great dane|newfoundland|saint bernard|st bernard|st. bernard|doodle|labradoodle|goldendoodle|cockapoo|mutt|tabby|calico|tortie|tortoiseshell|siamese|ragdoll|sphynx|persian|tuxedo|bengal|burmese|birman|norwegian forest cat|russian blue|british shorthair|shorthair|longhair|bird|hedgehog|rat|mouse|mice|rats|cats|dogs|kittens|puppies|rabbits|bunnies|chickens|hens|ducks|goats|guinea pigs|horse|mare|gelding|pony|donkey|mule|goat|pig|piglet|chicken|hen|rooster|duck|duckling|goose|quail|turkey|peacock|frog|toad|tree frog|axolotl|newt|salamander|crab|hermit crab|tarantula|spider|mantis|scorpion|snail|stick insect|isopod|chinchilla|degu|sugar glider|raccoon|fox|skunk|possum|squirrel|marmoset|monkey|llama|alpaca|sheep|lamb|cow|calf|shihtzu|shih tzu|shih-tzu|cattle dog|blue heeler|maine coon|pigeon|dove|crow|raven|owl|hawk|falcon|cockapoo|lhasa apso|jack russell|border collie|bull terrier|chow chow|shar pei|basenji|borzoi|saluki|lurcher")
	enAdjectives = setOf(" new little cute tiny baby small sweet lil adorable precious rescue rescued stray beautiful big old second third fourth another fluffy chunky dumb silly first young senior furry scruffy grumpy chubby fat noisy loud sleepy lazy crazy wild naughty clingy friendly gorgeous handsome elderly blind deaf one-eyed three-legged lovely wonderful foster shelter formerly healthy energetic hyper perfect whole literal actual real damn dang stupid idiot beloved dear very own")
	enSnakes     = setOf("|ball python|carpet python|royal python|burmese python")
	enRescues    = setOf("|adopted|adopting|rescued|fostering|raising|adopt|pet")
	enVermin     = setOf("|mouse|mice|rat|rats|spider|squirrel|possum|raccoon|fox|skunk|python|goose")
	enMeat       = setOf(" chicken duck fish turkey lamb crab cow pig goat goose frog")
	enMeals      = setOf("|dinner|lunch|store|market|recipe|oven|grill|roast|cooked|cook|cooking|ate|eat|eating|fried|grilled|throat|sauce|tasty|delicious")
	enPetGone    = setOf("|passed away|passed on|passed|died|crossed the rainbow bridge|crossed over the rainbow bridge|is gone|ran away|has died|went missing|was put down|was put to sleep|didnt make it|is no longer with us|left us|went to a new home|went to live|got rehomed|was rehomed|has a new home|found a new home|moved in with my parents|put down|put to sleep|had to put|say goodbye to|said goodbye to|saying goodbye to|rehomed|rehoming|rehome|gave away|giving away|given away|give away|gave up|gave|give|giving|lost|buried|sold|surrendered|rest in peace|rip|no longer have|dont have|returned|found a new home for|let go of")
	enGive       = setOf(" gave give giving")
	// enGoneAfter words follow the animal.
	enGoneAfter = setOf("|passed away|passed on|passed|died|crossed the rainbow bridge|crossed over the rainbow bridge|is gone|ran away|has died|went missing|was put down|was put to sleep|didnt make it|is no longer with us|left us|went to a new home|went to live|got rehomed|was rehomed|has a new home|found a new home|moved in with my parents")
)
