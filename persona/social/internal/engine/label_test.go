package engine

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
)

func TestPlanLabel_NeverExceedsOrigin(t *testing.T) {
	group := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	for _, c := range []struct {
		origin schedule.Origin
		want   memory.Label
	}{
		{schedule.Origin{}, memory.Untrusted()},
		{schedule.Origin{Label: "U qq:group:2"}, memory.Untrusted("qq:group:2")},
		{schedule.Origin{Chat: group}, memory.Untrusted("qq:group:1")},
		{schedule.Origin{Chat: group, Label: "T owner"}, memory.Untrusted(memory.Owner, "qq:group:1")},
		{schedule.Origin{Mode: persona.Agent}, memory.Trusted(memory.Owner)},
		{schedule.Origin{Mode: persona.Agent, Restricted: true}, memory.Untrusted(memory.Owner)},
		{schedule.Origin{Mode: persona.Agent, Restricted: true, Label: "T owner"}, memory.Trusted(memory.Owner)},
		{schedule.Origin{Mode: persona.Agent, Label: "U owner qq:group:1"}, memory.Untrusted(memory.Owner, "qq:group:1")},
		{schedule.Origin{Mode: persona.Agent, Label: "X owner"}, memory.OwnerOnly()},
	} {
		assert.Equal(t, c.want, PlanLabel(c.origin), "%+v", c.origin)
	}
}
