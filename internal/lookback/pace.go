package lookback

// A Pace is the recent activity of a chat at a time.
type Pace struct {
	Pending int     // lines of others since the bot's last line
	Idle    float64 // seconds since the last line
	Gap     float64 // seconds between lines, on average over half an hour, at least 30; bursts count as one line
	Share   float64 // share of the bot in the lines of five minutes
}

// burst is the minimum gap between separate lines, in seconds. Closer lines count as one.
const burst = 5

// Pace computes the pace from the kept lines.
func (c *Chat) Pace(now int64) (p Pace) {
	mine, lines, gaps, sum := 0, 0, 0, 0.
	own := false
	for i := int64(1); i <= int64(len(c.Lines)); i++ {
		l := c.line(c.Count - i)
		own = own || l.From == bot
		if !own {
			p.Pending++
		}
		if now-l.At <= 300 {
			lines++
			if l.From == bot {
				mine++
			}
		}
		if i == 1 {
			p.Idle = float64(max(now-l.At, 0))
			continue
		}
		if d := c.line(c.Count-i+1).At - l.At; d >= burst && now-l.At <= 1800 {
			gaps++
			sum += float64(d)
		}
	}
	p.Gap = max(sum/float64(max(gaps, 1)), 30)
	if lines > 0 {
		p.Share = float64(mine) / float64(lines)
	}
	return p
}

// Mine reports whether the author of a line is the bot's last partner, within that many seconds, and whether the line
// addresses others.
func (f *Features) Mine(within float64) (partner, toOthers bool) {
	return f[fPartner] > 0 && f[fOwnGap] <= log(within), f[fTo] < 2
}
