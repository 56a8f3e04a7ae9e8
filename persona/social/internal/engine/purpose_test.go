package engine

import (
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
)

func TestPurposeOf(t *testing.T) {
	for k, want := range map[prompt.Kind]models.Purpose{
		prompt.SingleCall: models.PurposeReply, prompt.Write: models.PurposeReply, prompt.Greet: models.PurposeReply, prompt.Remind: models.PurposeReply, prompt.PerformTask: models.PurposeReply,
		prompt.Think: models.PurposePlan, prompt.Plan: models.PurposePlan,
		prompt.Consider: models.PurposeJudge, prompt.ConsiderFocus: models.PurposeJudge,
	} {
		assert.Equal(t, want, purposeOf(&Job{}, k), k)
	}
	assert.Equal(t, models.PurposeJudge, purposeOf(&Job{Rules: "only report"}, prompt.SingleCall))
}
