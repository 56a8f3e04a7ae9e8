package self

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/nit"
)

// The documents of the bot.
const (
	CharacterState = "character_state" // identity, facts about the owner, past events
	HistoryTasks   = "history_tasks"   // results of tasks
	HearsayNotes   = "heard"           // statements of other people that were reported to the owner; no tool edits it
)

// Documents applies patches in the format of memory/patch. The errors of memory/patch are shown to the model, because
// it may read the document anyway.
type Documents interface {
	Patch(ctx context.Context, document, patch string) error
}

type patchIn struct {
	Patch string `json:"patch" jsonschema:"补丁：第一行 *** Begin Patch，最后一行 *** End Patch；中间每块以 @@ 和标题那一行开头，下面每行前面加一个字符：空格是不变的行，- 是删去的行，+ 是新加的行"`
}

const maxPatch = 20_000 // in characters

func (k *toolset) patchCharacter() (nit.Tool, error) {
	return k.patch("apply_patch_to_character_state", "用补丁修改你的角色状态：背景、对用户的了解、发生过的事。只改要改的几行。", CharacterState)
}

func (k *toolset) patchHistory() (nit.Tool, error) {
	return k.patch("apply_patch_to_history_tasks", "用补丁修改任务的历史：归纳、精简，写下结果和体会。只改要改的几行。", HistoryTasks)
}

func (k *toolset) patch(name, description, document string) (nit.Tool, error) {
	apply := func(ctx context.Context, in patchIn) (string, error) {
		if !inOwnerSession(principal(ctx)) { // these documents contain facts about the owner
			return "", nit.ErrUnknownTool
		}
		err := k.o.Documents.Patch(ctx, document, in.Patch)
		for _, known := range []error{patch.ErrSyntax, patch.ErrConflict, patch.ErrTooLong, patch.ErrInvalidText} {
			if errors.Is(err, known) {
				return "", errors.Join(nit.ModelError("什么也没有改。"+err.Error()), err)
			}
		}
		return "改好了", err
	}
	return nit.Define(name, nit.L1, description, apply, toolOptions([]string{ModeBackground}, textLength("patch", 1, maxPatch))...)
}
