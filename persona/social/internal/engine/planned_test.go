package engine

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
)

func TestPlanLabel_GivesNoMoreThanTheMakerHas(t *testing.T) {
	group := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	for _, c := range []struct {
		maker schedule.Maker
		want  memory.Label
	}{
		{schedule.Maker{}, memory.Untrusted()},
		{schedule.Maker{Label: "U qq:group:2"}, memory.Untrusted("qq:group:2")},
		{schedule.Maker{Chat: group}, memory.Untrusted("qq:group:1")},
		{schedule.Maker{Chat: group, Label: "T owner"}, memory.Untrusted(memory.Owner, "qq:group:1")},
		{schedule.Maker{Mode: persona.Agent}, memory.Trusted(memory.Owner)},
		{schedule.Maker{Mode: persona.Agent, Shed: true}, memory.Untrusted(memory.Owner)},
		{schedule.Maker{Mode: persona.Agent, Shed: true, Label: "T owner"}, memory.Trusted(memory.Owner)},
		{schedule.Maker{Mode: persona.Agent, Label: "U owner qq:group:1"}, memory.Untrusted(memory.Owner, "qq:group:1")},
		{schedule.Maker{Mode: persona.Agent, Label: "X owner"}, memory.OwnerOnly()},
	} {
		assert.Equal(t, c.want, PlanLabel(c.maker), "%+v", c.maker)
	}
}
