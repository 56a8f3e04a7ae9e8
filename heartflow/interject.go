package heartflow

import "errors"

// Interject lets the model decide when the bot is called, and by chance also while it is Active: it goes on with a
// talk that it has part in, and never begins one. The chance is the sum of three parts, at most 1.
type Interject struct {
	Base    float64 // for any batch; 0 means .2
	Partner float64 // when the one it last spoke with goes on, and not to another; 0 means .6
	Topic   float64 // times [Moment.Topic]; 0 means .4

	// A negative part counts as nothing.
}

// Judge implements [Policy].
func (p Interject) Judge(m *Moment) Verdict {
	if m.Called || m.State != Active {
		return MentionOnly{}.Judge(m)
	}
	chance := max(or(p.Base, .2), 0)
	why := []Code{WhyActive}
	if m.Gate(partnerGate(m)) {
		chance += max(or(p.Partner, .6), 0)
		why = append(why, WhyPartner)
	}
	topic := m.Topic()
	if m.Gate(Gate{Code: WhyTopic, Value: topic, Pass: topic > 0}) {
		chance += max(or(p.Topic, .4), 0) * topic
		why = append(why, WhyTopic)
	}
	chance = min(chance, 1)
	draw := m.Draw()
	if !m.Gate(Gate{Code: WhyActive, Value: chance, Draw: draw, Pass: draw < chance}) {
		return Verdict{Score: chance, Why: []Code{WhyNotDrawn}}
	}
	return Verdict{Do: Ask, Score: chance, Why: why}
}

func partnerGate(m *Moment) Gate {
	g := Gate{Code: WhyPartner}
	for i := range m.Batch {
		h := &m.Batch[i]
		if m.Partner != "" && h.From == m.Partner && !h.ToOther() {
			g.Value, g.Pass = 1, true
		}
	}
	return g
}

// Validate refuses parts above 1, and what is no number.
func (p Interject) Validate() error {
	for _, f := range []float64{p.Base, p.Partner, p.Topic} {
		if !(f <= 1) {
			return errors.New("heartflow: a part of Interject's chance is above 1")
		}
	}
	return nil
}
