package whentospeak

// A Tally counts decisions. The zero value is ready. The sum of two tallies, field by field, is the tally of both.
type Tally struct {
	Points   int // labelled messages of others
	Positive int // points that the speaker answered
	Spoken   int // points that the bot would answer
	Right    int // both

	Called        int // points that address the bot
	CalledSilent  int // of them, points without an answer of the speaker
	HumanMessages int // all messages by others
	OwnMessages   int // messages of the speakers
}

// Add counts d.
func (t *Tally) Add(d Decision) {
	t.HumanMessages++
	t.OwnMessages += d.Own
	if !d.Point {
		return
	}
	t.Points++
	if d.Answer {
		t.Positive++
	}
	if d.Speak {
		t.Spoken++
		if d.Answer {
			t.Right++
		}
	}
	if d.Verdict.Addressed {
		t.Called++
		if !d.Answer {
			t.CalledSilent++
		}
	}
}

// Precision is the share of the bot's answers that the speaker gave too.
func (t Tally) Precision() float64 { return share(t.Right, t.Spoken) }

// Recall is the share of the speaker's answers that the bot gave too.
func (t Tally) Recall() float64 { return share(t.Right, t.Positive) }

// F1 is the harmonic mean of both.
func (t Tally) F1() float64 { return share(2*t.Right, t.Spoken+t.Positive) }

// SpeakRate is the share of the points that the bot would answer.
func (t Tally) SpeakRate() float64 { return share(t.Spoken, t.Points) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
