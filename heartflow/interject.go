package heartflow

import (
	"cmp"
	"errors"
)

// Interject lets the model decide when the bot is called, and by chance also while it is Active: it goes on with a
// talk that it has part in, and never begins one. The chance is the sum of three parts, at most 1, times [PolicyInput.Energy]
// and times 1 + [PolicyInput.Mood]/2.
type Interject struct {
	Base    float64 // for any batch; 0 means .2
	Partner float64 // when the one it last spoke with goes on, and not to another; 0 means .6
	Topic   float64 // times [PolicyInput.TopicOverlap]; 0 means .4

	// A negative part counts as nothing.
}

// Judge implements [Policy].
func (p Interject) Judge(m *PolicyInput) Verdict {
	if m.Addressed || m.State != Active {
		return MentionOnly{}.Judge(m)
	}
	chance := max(cmp.Or(p.Base, .2), 0)
	why := []Code{WhyActive}
	if m.Gate(partnerGate(m)) {
		chance += max(cmp.Or(p.Partner, .6), 0)
		why = append(why, WhyPartner)
	}
	topic := m.TopicOverlap()
	if m.Gate(Gate{Code: WhyTopic, Value: topic, Pass: topic > 0}) {
		chance += max(cmp.Or(p.Topic, .4), 0) * topic
		why = append(why, WhyTopic)
	}
	draw := m.Draw()
	chance, decided := m.weigh(min(chance, 1), draw)
	if !m.Gate(Gate{Code: WhyActive, Value: chance, Draw: draw, Pass: draw < chance}) {
		return Verdict{Score: chance, Why: []Code{cmp.Or(decided, WhyNotDrawn)}}
	}
	if decided != "" {
		why = append(why, decided)
	}
	return Verdict{Do: Ask, Score: chance, Why: why}
}

// weigh scales a chance by energy and mood. Where one of them decides whether the draw passes, it is a gate, and the
// last one that did is told.
func (m *PolicyInput) weigh(chance, draw float64) (scaled float64, decided Code) {
	for _, by := range []struct {
		code          Code
		value, factor float64
	}{{WhyTired, m.Energy, m.Energy}, {WhyMood, m.Mood, 1 + m.Mood/2}} {
		scaled = min(chance*by.factor, 1)
		if (draw < chance) != (draw < scaled) {
			decided = by.code
			m.Gate(Gate{Code: by.code, Value: by.value, Pass: draw < scaled})
		}
		chance = scaled
	}
	return scaled, decided
}

func partnerGate(m *PolicyInput) Gate {
	g := Gate{Code: WhyPartner}
	for i := range m.Batch {
		h := &m.Batch[i]
		if m.Partner != "" && h.From == m.Partner && !h.ToOthers() {
			g.Value, g.Pass = 1, true
		}
	}
	return g
}

// Validate refuses parts above 1, and what is no number.
func (p Interject) Validate() error {
	if !(max(p.Base, p.Partner, p.Topic) <= 1) {
		return errors.New("heartflow: a part of Interject's chance is above 1")
	}
	return nil
}
