package self

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/nit"
)

// The documents that a being keeps.
const (
	CharacterState = "character_state" // who it is, what it thinks of its owner, what happened
	HistoryTasks   = "history_tasks"   // what became of tasks
	HearsayNotes   = "heard"           // what others said, as far as the owner was told of it; no tool mends it
)

// Documents apply patches, as memory/patch does. Its errors are told to the model: the document is its own.
type Documents interface {
	Patch(ctx context.Context, document, patch string) error
}

type patchIn struct {
	Patch string `json:"patch" jsonschema:"补丁：第一行 *** Begin Patch，最后一行 *** End Patch；中间每块以 @@ 和标题那一行开头，下面每行前面加一个字符：空格是不变的行，- 是删去的行，+ 是新加的行"`
}

const maxPatch = 20_000 // characters

func (k *kit) patchCharacter() (nit.Tool, error) {
	return k.patch("apply_patch_to_character_state", "用补丁修改你的角色状态：背景、对用户的了解、发生过的事。只改要改的几行。", CharacterState)
}

func (k *kit) patchHistory() (nit.Tool, error) {
	return k.patch("apply_patch_to_history_tasks", "用补丁修改任务的历史：归纳、精简，写下结果和体会。只改要改的几行。", HistoryTasks)
}

func (k *kit) patch(name, description, document string) (nit.Tool, error) {
	apply := func(ctx context.Context, in patchIn) (string, error) {
		if !ofOwner(who(ctx)) { // these documents tell of the owner
			return "", nit.ErrUnknownTool
		}
		err := k.o.Documents.Patch(ctx, document, in.Patch)
		for _, known := range []error{patch.ErrSyntax, patch.ErrConflict, patch.ErrForbidden, patch.ErrTooLong, patch.ErrInvalidText} {
			if errors.Is(err, known) {
				return "", errors.Join(nit.ModelError("什么也没有改。"+err.Error()), err)
			}
		}
		return "改好了", err
	}
	return nit.Define(name, nit.L1, description, apply, shown([]string{ModeBackground}, characters("patch", 1, maxPatch))...)
}
