package heartflow

import (
	"cmp"
	"errors"
)

// Interject is the default Policy. It asks a model about messages that address the bot. While a chat is Active, it also joins in by chance. It
// continues a conversation with the bot and never starts one. The chance is the sum of three parts, at most 1, times
// [PolicyInput.Energy], 1 + [PolicyInput.Mood]/2 and 1 + [PolicyInput.Welcome]. A negative part counts as 0.
type Interject struct {
	Base    float64 // for any batch; 0 means .2
	Partner float64 // if the last partner writes to nobody else; 0 means .6
	Topic   float64 // times [PolicyInput.TopicOverlap]; 0 means .4

}

// Judge implements [Policy].
func (p Interject) Judge(m *PolicyInput) Verdict {
	if m.Addressed || m.State != Active || m.Total == 0 {
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

// weigh scales the chance by energy, mood and welcome. If one of them changes the result of the draw, it becomes a gate, and
// decided is its code. If several do, decided is that of the last one.
func (m *PolicyInput) weigh(chance, draw float64) (scaled float64, decided Code) {
	for _, by := range []struct {
		code          Code
		value, factor float64
	}{{WhyTired, m.Energy, m.Energy}, {WhyMood, m.Mood, 1 + m.Mood/2}, {WhyWelcome, m.Welcome, 1 + m.Welcome}} {
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

// Validate returns an error if a part is above 1 or NaN.
func (p Interject) Validate() error {
	if !(max(p.Base, p.Partner, p.Topic) <= 1) {
		return errors.New("fields Base, Partner and Topic must be at most 1")
	}
	return nil
}
