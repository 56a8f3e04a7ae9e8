package onebot

import (
	"context"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// The actions below are extensions of SnowLuma.

// ModifyCustomFace describes one of the account's own stickers (modify_custom_face); desc "" removes the description.
func (b *Bot) ModifyCustomFace(ctx context.Context, emojiID, desc string) error {
	return b.Call(ctx, "modify_custom_face", params{"emoji_id": emojiID, "desc": desc}, nil)
}

// MoveCustomFaceToFront moves one of the account's own stickers to the front (move_custom_face_to_front).
func (b *Bot) MoveCustomFaceToFront(ctx context.Context, emojiID string) error {
	return b.Call(ctx, "move_custom_face_to_front", params{"emoji_id": emojiID}, nil)
}

// ListFilesets lists the account's flash transfers (闪传, list_filesets).
func (b *Bot) ListFilesets(ctx context.Context) ([]Fileset, error) {
	return get[[]Fileset](ctx, b, "list_filesets", nil)
}

// RenameFlashFile renames a flash transfer (rename_flash_file).
func (b *Bot) RenameFlashFile(ctx context.Context, filesetID, name string) error {
	return b.Call(ctx, "rename_flash_file", params{"fileset_id": filesetID, "new_name": name}, nil)
}

// DeleteFlashFile deletes a flash transfer (delete_flash_file).
func (b *Bot) DeleteFlashFile(ctx context.Context, filesetID string) error {
	return b.Call(ctx, "delete_flash_file", params{"fileset_id": filesetID}, nil)
}

// SharePeer returns the card of a group, or of a user if groupID is 0, for a json segment (share_peer, member arkMsg;
// phone_number is never sent).
func (b *Bot) SharePeer(ctx context.Context, groupID, userID int64) (ark string, err error) {
	data, err := get[arkCard](ctx, b, "share_peer", target(groupID, userID))
	return string(data), err
}

// ShareGroupEx is [Bot.SharePeer] for a group by another action (share_group_ex).
func (b *Bot) ShareGroupEx(ctx context.Context, groupID int64) (ark string, err error) {
	data, err := get[arkCard](ctx, b, "share_group_ex", params{"group_id": groupID})
	return string(data), err
}

// arkCard is a card: a string, or an object with it.
type arkCard string

func (x *arkCard) UnmarshalJSON(b []byte) error {
	for _, name := range []string{"arkMsg", "arkJson"} {
		if v := member(b, name); v != nil {
			b = v
			break
		}
	}
	*x = arkCard(lenient.Text(b))
	return nil
}

// UploadForwardMsg uploads nodes as a merged forward without sending it, for use in the group groupID, or in private
// chats if groupID is 0 (upload_forward_msg). Send it as a forward segment with the ForwardID. See [Node] and
// [CustomNode].
func (b *Bot) UploadForwardMsg(ctx context.Context, groupID int64, nodes Message) (SentForward, error) {
	if !onlyNodes(nodes) {
		return SentForward{}, badParamsError("upload_forward_msg", errNoNodes)
	}
	return get[SentForward](ctx, b, "upload_forward_msg", withParam(params{"messages": nodes}, "group_id", groupID))
}

// Fileset is a flash transfer.
type Fileset struct {
	ID           string `json:"fileset_id"`
	Name         string `json:"file_name"`
	OriginalName string `json:"orig_name"`
	Size         int64  `json:"size"` // in bytes
	ShareURL     string `json:"share_url"`
	FileID       string `json:"file_id"`
	DownloadURL  string `json:"download_url"`
}

// UnmarshalJSON decodes one element of the result of list_filesets.
func (x *Fileset) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
