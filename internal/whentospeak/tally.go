package whentospeak

// A Tally counts decisions. The zero value is ready; adding two gives that of both.
type Tally struct {
	Points   int // decisions that count
	Positive int // of them, what the speaker answered
	Spoken   int // of them, what the bot would have answered
	Right    int // both

	Called        int // of the points, those that call the bot
	CalledSilent  int // of them, what the speaker did not answer
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

// Precision is the share of what the bot would have said that the speaker said too.
func (t Tally) Precision() float64 { return share(t.Right, t.Spoken) }

// Recall is the share of what the speaker said that the bot would have said too.
func (t Tally) Recall() float64 { return share(t.Right, t.Positive) }

// F1 is the harmonic mean of both.
func (t Tally) F1() float64 { return share(2*t.Right, t.Spoken+t.Positive) }

// SpeakRate is the share of the points at which the bot would have spoken.
func (t Tally) SpeakRate() float64 { return share(t.Spoken, t.Points) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
