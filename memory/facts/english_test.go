package facts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExtract_English(t *testing.T) {
	for text, want := range map[string]string{
		"My birthday? March 5.":                          "1001 birthday 3月5日",
		"born on the 5th of March":                       "1001 birthday 3月5日",
		"can a mod fix my birthday? it's on March 5":     "1001 birthday 3月5日",
		"I work at St. Mary's Hospital":                  "1001 job St. Mary's Hospital",
		"I've been at the county library for six years":  "1001 job the county library",
		"I got a job at Home Depot!":                     "1001 job Home Depot",
		"So I quit Google and joined Meta last week":     "1001 job Meta",
		"last week I joined Lidl":                        "1001 job Lidl",
		"left my old job and went to Boeing":             "1001 job Boeing",
		"Landed the job! Lidl it is":                     "1001 job Lidl",
		"New gig: Lidl":                                  "1001 job Lidl",
		"guess where I work now? Lidl":                   "1001 job Lidl",
		"they took me on at Lidl":                        "1001 job Lidl",
		"My boss at Lidl is super nice":                  "1001 job Lidl",
		"I'm with the post office now, left my old job":  "1001 job the post office",
		"switched to being a nurse":                      "1001 job nurse",
		"as a nurse myself I can tell you":               "1001 job nurse",
		"I work as a QA tester":                          "1001 job QA tester",
		"got let go today":                               "1001 job  ends",
		"Nadia's new job is at Lidl":                     "1006 job Lidl",
		"Lidl hired Nadia":                               "1006 job Lidl",
		"heard from Nadia, they're at Lidl now":          "1006 job Lidl",
		"ran into Nadia at Lidl, they work there now":    "1006 job Lidl",
		"gg Nadia landed that Best Buy job":              "1006 job Best Buy",
		"I've lived in Duluth for ten years or so":       "1001 place Duluth",
		"moved from Oslo to Salt Lake City":              "1001 place Salt Lake City",
		"New Orleans is home for me now":                 "1001 place New Orleans",
		"We've relocated to Leeds to be near my brother": "1001 place Leeds",
		"I moved, it's Leeds now":                        "1001 place Leeds",
		"I call Leeds home now":                          "1001 place Leeds",
		"I'm a Leeds resident now":                       "1001 place Leeds",
		"I don't live in Leeds anymore":                  "1001 place  ends",
		"I could never get tired of chess":               "1001 likes chess",
		"not gonna lie I've started to really enjoy Go":  "1001 likes Go",
		"chess has become my new hobby":                  "1001 likes chess",
		"what do I like? Chess, hands down":              "1001 likes Chess",
		"bingo! My absolute favorite":                    "1001 likes bingo",
		"in my chess era":                                "1001 likes chess",
		"my chess era is over":                           "1001 likes chess ends",
		"I've put chess behind me":                       "1001 likes chess ends",
		"Loved chess once, not anymore":                  "1001 likes chess ends",
		"Don't really care for jazz these days":          "1001 likes jazz ends",
		"the thrill of chess is gone":                    "1001 likes chess ends",
		"I don't find chess fun anymore":                 "1001 likes chess ends",
		"chess? nah, lost interest":                      "1001 likes chess ends",
		"I'm a proud dachshund owner since yesterday":    "1001 pet dachshund",
		"There's a new member of the family, a budgie":   "1001 pet budgie",
		"my kids talked me into a beagle":                "1001 pet beagle",
		"a stray cat adopted me":                         "1001 pet cat",
		"I have a beagle and a cat":                      "1001 pet beagle|1001 pet cat",
		"my beagle passed away":                          "1001 pet beagle ends",
		"I had to give my beagle away":                   "1001 pet beagle ends",
		"we're planning to buy a car in the summer":      "1001 plan buy a car",
		"my new year's resolution is to learn Spanish":   "1001 plan learn Spanish",
		"next big goal: buy a car":                       "1001 plan buy a car",
		"I was going to buy a car but it fell through":   "1001 plan buy a car ends",
		"no way I'll buy a car":                          "1001 plan buy a car ends",
		"I'm no longer planning to buy a car":            "1001 plan buy a car ends",
		"my plan to buy a car is on hold":                "1001 plan buy a car ends",
		"remember I was gonna buy a car? Not happening":  "1001 plan buy a car ends",
	} {
		assert.Equal(t, want, strings.Join(extract(text), "|"), text)
	}
}

// These English messages say nothing about a person of the chat, or are not meant.
func TestExtract_EnglishNothing(t *testing.T) {
	for _, text := range []string{
		"I'm in a meeting until 3", "we moved the standup to 10", "Meeting moved to Thursday", "I left my keys at Target", "We had lunch at Chipotle",
		"I work out at the gym every day", "I applied for a job at Lidl", "I have a friend who works at Lidl", "I used to work at Tesco", "My brother joined Lidl",
		"doesn't work for any user", "I got the codecs working for video", "works in Chrome", "does this work? thanks", "Nice job, everyone! Great work", "The new nurse at the clinic was very kind",
		"use it as a password manager", "I'm a Windows user", "there is a guide in the wiki", "I switched to Linux", "Home Depot is hiring",
		"I'm in London for the weekend", "I'm flying to Denver tomorrow", "I'm in the Network Manager", "back in 2d mode", "it's Unity based", "moved to production", "home is where the heart is",
		"like sudo apt-get install", "I booted into Ubuntu", "put it into fstab", "nothing was over 2%", "I like how this works", "I'd like to thank all the volunteers", "I love working from home",
		"my USB mouse is broken", "my python script crashed", "there's a spider in my bathroom", "I had a duck for dinner", "your dog is so cute", "my son's birthday is March 5",
		"I'm going to bed", "I can't believe it", "I'd love to but I can't", "I won't give up on my goals",
		"I moved to Oslo. In the Sims", "Of course I live in Oslo, in a castle", "That's it, I'm moving to Oslo", "guess I live in Oslo now lol", "if they raise the rent again I'm moving to Oslo", "I could live in Oslo",
	} {
		assert.Empty(t, extract(text), text)
	}
	assert.NotEmpty(t, extract("I moved to Oslo"), "a control")
	assert.NotEmpty(t, extract("If anyone's wondering, I live in Oslo"), "a polite condition")
}
