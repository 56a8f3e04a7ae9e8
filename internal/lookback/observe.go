package lookback

import "math/bits"

// Observe adds a message by somebody else, and fills f with its features.
func (c *Chat) Observe(in *Input, linkWeights []float32, f *Features) {
	l := c.newLine(in)
	var k Links
	if quoted := c.Find(in.Quote); quoted >= 0 && c.Count-1-quoted < reach {
		k.N = int(c.Count - quoted) // the link is known
		k.P[k.N-1] = 1
	} else {
		c.links(&l, linkWeights, &k)
	}
	to := c.features(&l, &k, in, f)
	c.recordLinks(&l, to)
	c.add(&l)
}

// A linked is what the links of a line lead to.
type linked struct {
	best   int64   // number of the line with the best chance; -1: none
	others float32 // chance of lines of others, except the bot
}

// features computes f and the chances of l: Directed, Thread and Part. It raises Answered of the lines that l may answer.
func (c *Chat) features(l *Line, k *Links, in *Input, f *Features) (to linked) {
	n := c.Count
	p := &c.People[l.Slot]
	o := &c.Own
	*f = Features{}
	var toMe, same, others, mine, direct, thread, part float32
	best, bestP := int64(-1), k.None
	for i := range k.N {
		q := k.P[i]
		if q == 0 {
			continue
		}
		x := c.line(n - 1 - int64(i))
		switch x.From {
		case bot:
			toMe += q
			direct += q
			if x.asks() {
				f[fMeAsk] += q
			}
		case l.From:
			same += q
			direct += q * x.Directed
		default:
			others += q
		}
		if x.From != l.From {
			x.Answered = 1 - (1-x.Answered)*(1-q)
		}
		if x.Mine {
			mine += q
		}
		thread += q * x.Thread
		part += q * x.Part
		if q > bestP {
			best, bestP = n-1-int64(i), q
		}
	}
	relation := l.relation(bot)
	if relation == toStart {
		direct = 1 - (1-direct)*.1
	}
	l.Directed, l.Thread, l.Part = direct, max(thread, .9*direct), part

	f[fTo] = [relations]float32{2, 4, 3, 0, 1}[relation]
	f[fColon] = when(l.Start && (in.Text.found == 0 || in.Text.names[0].colon))
	f[fNames] = float32(l.Names)
	f[fMe], f[fSame], f[fOthers], f[fNew], f[fMine] = toMe, same, others, k.None, mine
	f[fDirect], f[fThread], f[fPart], f[fBest] = direct, thread, part, bestP
	f[fBestDistance], f[fBestGap] = logFar, logFar
	if best >= 0 {
		x := c.line(best)
		f[fBestWho] = 3
		switch x.From {
		case bot:
			f[fBestWho] = 1
		case l.From:
			f[fBestWho] = 2
		}
		f[fBestDistance], f[fBestGap] = logOf(n-best), since(l.At, x.At)
	}
	f[fPrevDirect], f[fPrevThread], f[fPrevAnswered], f[fPrevGap] = -1, -1, -1, since(l.At, p.LastAt)
	if p.Last >= c.first() && p.Last >= 0 {
		x := c.line(p.Last)
		f[fPrevDirect], f[fPrevThread], f[fPrevAnswered] = x.Directed, x.Thread, x.Answered
	}

	faded := l.At - o.FadedAt
	f[fOwnGap], f[fOwnDistance] = logFar, logFar
	if o.Last >= 0 {
		f[fOwnGap], f[fOwnDistance] = since(l.At, o.LastAt), logOf(n-o.Last)
	}
	f[fOwnFew], f[fOwnMany], f[fOwnNear] = o.Few*fiveMinutes.after(faded), o.Many*hour.after(faded), o.Near
	f[fPartner] = when(o.Partner == l.From)
	f[fFromMeGap], f[fFromMeDistance] = since(l.At, p.FromMeAt), logFar
	if p.FromMe >= 0 {
		f[fFromMeDistance] = logOf(n - p.FromMe)
	}
	f[fFromMeN] = logOf(int64(p.FromMeN))
	f[fToOtherGap], f[fByOtherGap] = since(l.At, p.ToOther), since(l.At, p.ByOther)
	f[fByOtherLast] = when(p.ByOtherI > p.FromMe)
	f[fAuthorLines] = logOf(int64(p.Lines))
	c.recentFeatures(l, f)
	f[fRate] = log(float64(c.Rate * fiveMinutes.after(l.At-c.RateAt)))
	f[fLineGap] = logFar
	if n > 0 {
		f[fLineGap] = since(l.At, c.line(n-1).At)
	}

	f[fClass] = float32(l.Class)
	f[fQuestion] = when(l.Cues&question != 0)
	f[fExclaimed] = when(l.Cues&exclaimed != 0)
	f[fSelf] = when(l.Cues&self != 0)
	f[fYou] = when(l.Cues&you != 0)
	f[fShort] = when(l.Cues&short != 0)
	f[fLength] = logOf(int64(l.Count))

	f[fUncalled] = (o.Uncalled + .2) / (o.Lines + 2)
	f[fReplied] = (o.Replied + .5) / (o.Heard + 1)
	f[fReturned] = (o.Returned + 1) / (o.Named + 2)
	f[fAnswers] = (o.Answers + .3) / (o.Lines + 1)
	f[fAsked] = (o.Asked + .5) / (o.Lines + 2)
	t := in.Text
	f[fEnd], f[fNamed], f[fAnybody] = float32(t.End), t.Named, t.Open
	f[fDyad] = (p.Replied + .5) / (p.Directed + 1)
	f[fBursts] = (p.Bursts + .6) / (p.Turns + 2)
	f[fLonger] = float32(l.Count) - (p.Words+8)/float32(p.Lines+1)
	f[fLatency], f[fOwnLines] = o.Latency, logOf(int64(o.Lines))
	f[fByOtherN], f[fAskedN] = logOf(int64(p.ByOtherN)), p.AskedN
	f[fPrevDistance] = logFar
	if p.Last >= 0 {
		f[fPrevDistance] = logOf(n - p.Last)
	}
	f[fHelped] = o.Helped / (o.New + 1)
	return linked{best, others}
}

// recentFeatures sets the features of the last lines.
func (c *Chat) recentFeatures(l *Line, f *Features) {
	near := min(len(c.Lines), 40)
	own := c.newestFirst(c.own)
	sinceOwn := min(bits.LeadingZeros64(own), near)
	var people uint64
	var open float32
	for i := range max(sinceOwn, min(near, 20)) {
		x := c.line(c.Count - 1 - int64(i))
		if i < sinceOwn {
			open += x.Directed
		}
		if i < 20 && x.From != l.From {
			people |= 1 << x.Slot
		}
	}
	words := 0
	for n := 0; l.Words.N > 0 && own != 0 && n < 8; n++ {
		i := bits.LeadingZeros64(own)
		own &^= 1 << (63 - i)
		words = max(words, l.Words.shared(&c.line(c.Count-1-int64(i)).Words, maxWords))
	}
	naming := bits.OnesCount64(c.newestFirst(c.naming) >> (maxLines - near))
	f[fActive], f[fOpen], f[fOwnWords] = float32(bits.OnesCount64(people)), open, float32(words)
	f[fNaming] = (float32(naming) + .3) / float32(near+1)
}

// recordLinks updates the chat by the links of a line by somebody else.
func (c *Chat) recordLinks(l *Line, to linked) {
	o := &c.Own
	relation := l.relation(bot)
	o.Near *= 1 - 1./40
	if relation == toStart || relation == toInside {
		o.Named++
	}
	o.Heard += l.Directed
	c.People[l.Slot].Directed += l.Directed
	if c.People[l.Slot].Lines < 5 && l.Class == classQuestion {
		o.New++
	}
	if l.Directed <= .5 && (relation >= otherStart || to.others > .5) {
		c.People[l.Slot].ToOther = l.At
	}
	for _, name := range l.To[:l.Names] {
		c.spokenTo(name, l.At)
	}
	if l.Names == 0 && to.best >= 0 {
		if x := c.line(to.best); x.From != l.From {
			c.spokenTo(x.From, l.At)
		}
	}
}

func (c *Chat) spokenTo(who uint32, at int64) {
	if i := c.known(who); i >= 0 {
		c.People[i].ByOther, c.People[i].ByOtherI = at, c.Count
		c.People[i].ByOtherN++
	}
}

func (l *Line) asks() bool { return l.Class == classQuestion || l.Class == classAsking }

// AddOwn adds a message of the bot. The same text within a minute is an echo and only sets the id.
func (c *Chat) AddOwn(in *Input, linkWeights []float32) {
	for i := int64(1); i <= int64(len(c.Lines)); i++ {
		if x := c.line(c.Count - i); x.From == bot && x.Sum == in.Text.Sum && in.At-x.At <= 60 {
			if in.ID != 0 {
				x.ID = in.ID
			}
			return
		}
	}
	l := c.newLine(in)
	l.Directed, l.Thread, l.Part = 1, 1, 1
	n, o := c.Count, &c.Own
	if at := c.answered(in, &l, linkWeights); at >= 0 {
		c.answer(c.line(at), &l)
	}
	for i, to := range l.To[:l.Names] {
		if j := c.known(to); j >= 0 {
			p := &c.People[j]
			p.FromMe, p.FromMeAt = n, l.At
			if i == 0 && l.Start {
				p.FromMeN++
				o.Partner = to
			}
		}
	}
	if l.asks() {
		o.Asked++
	}
	faded := l.At - o.FadedAt
	o.Few, o.Many = o.Few*fiveMinutes.after(faded)+1, o.Many*hour.after(faded)+1
	o.Near = o.Near*(1-1./40) + 1
	o.FadedAt, o.Last, o.LastAt = l.At, n, l.At
	o.Lines++
	c.add(&l)
}

// answered returns the number of the line that in answers; -1: none. It is estimated if in does not state it.
func (c *Chat) answered(in *Input, l *Line, linkWeights []float32) int64 {
	if in.Line >= c.first() && in.Line < c.Count {
		return in.Line
	}
	if in.Quote != 0 {
		return c.Find(in.Quote)
	}
	var k Links
	c.links(l, linkWeights, &k)
	best, bestP := int64(-1), k.None
	for i := range k.N {
		if k.P[i] > bestP {
			best, bestP = c.Count-1-int64(i), k.P[i]
		}
	}
	return best
}

// answer records that l, a line of the bot, answers x.
func (c *Chat) answer(x, l *Line) {
	if x.From == bot {
		return
	}
	o := &c.Own
	if !x.Mine {
		x.Mine = true
		o.Answers++
		o.Replied += x.Directed
		o.Uncalled += 1 - x.Directed
		if r := x.relation(bot); r == toStart || r == toInside {
			o.Returned++
		}
		if x.Said < 5 && x.Class == classQuestion {
			o.Helped++
		}
	}
	x.Thread, x.Part = 1, 1
	o.Latency += .15 * (log(float64(l.At-x.At)) - o.Latency)
	if i := c.known(x.From); i >= 0 {
		p := &c.People[i]
		p.FromMe, p.FromMeAt = c.Count, l.At
		p.FromMeN++
		p.Replied += x.Directed
		if l.asks() {
			p.AskedN++
		}
	}
	o.Partner = x.From
}
