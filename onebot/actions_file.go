package onebot

import (
	"cmp"
	"context"
	"encoding/json"
)

// GetImage fetches a received picture by the file name in its segment (get_image). go-cqhttp returns only its size
// and URL.
func (b *Bot) GetImage(ctx context.Context, file string) (FileInfo, error) {
	return get[FileInfo](ctx, b, "get_image", params{"file": file})
}

// GetRecord fetches a received voice message and converts it (get_record). format (out_format) is "mp3", "amr",
// "wma", "m4a", "spx", "ogg", "wav" or "flac"; for "" it is not converted. The result has a path on the implementation's
// machine (File), the content (Base64), or the URL of the unconverted message, by implementation and settings.
func (b *Bot) GetRecord(ctx context.Context, file, format string) (FileInfo, error) {
	return get[FileInfo](ctx, b, "get_record", withParam(params{"file": file}, "out_format", format))
}

// FetchPTTText returns QQ's transcript of a received voice message. The action is fetch_ptt_text of NapCat and SnowLuma,
// get_ptt_text or get_record_text of other versions, or voice_msg_to_text of LLBot: the first one that the
// implementation knows. An extension.
func (b *Bot) FetchPTTText(ctx context.Context, messageID int64) (string, error) {
	var data json.RawMessage
	err := b.callAny(ctx, params{"message_id": messageID}, &data, "fetch_ptt_text", "voice_msg_to_text", "get_ptt_text", "get_record_text")
	return rawText(member(data, "text")), err
}

// GetFile fetches a received file by the id in its segment (get_file). An extension of NapCat, LLBot and SnowLuma.
// SnowLuma has only pictures and voice messages there: for other files see [Bot.GetGroupFileURL] and
// [Bot.GetPrivateFileURL].
func (b *Bot) GetFile(ctx context.Context, fileID string) (FileInfo, error) {
	return get[FileInfo](ctx, b, "get_file", params{"file_id": fileID, "file": fileID})
}

// DownloadFile makes the implementation download a URL to its own disk (download_file). headers are HTTP headers such
// as "Referer=https://…". An extension.
func (b *Bot) DownloadFile(ctx context.Context, url string, headers ...string) (FileInfo, error) {
	p := params{"url": url, "thread_count": 1}
	if len(headers) > 0 {
		p["headers"] = headers
	}
	return get[FileInfo](ctx, b, "download_file", p)
}

// OCRImage reads the text in a picture (ocr_image, .ocr_image); image as in [Image]. Implementations accept different
// kinds of file. An extension.
func (b *Bot) OCRImage(ctx context.Context, image string) (OCR, error) {
	return get[OCR](ctx, b, "ocr_image", params{"image": image})
}

// FileUpload is a file to upload to a chat.
type FileUpload struct {
	File   string // as in [Image]; go-cqhttp accepts only paths on its own machine
	Name   string // shown to users; required
	Folder string // id of a folder of the group; "": the root
}

// UploadGroupFile uploads a file to a group's shared files (upload_group_file). It returns the file's id if the
// implementation reports it. It waits for the bot's Limiter first; [ErrUnclear] as in [Bot.SendGroupMsg]. An
// extension.
func (b *Bot) UploadGroupFile(ctx context.Context, groupID int64, u FileUpload) (fileID string, err error) {
	if err := b.wait(ctx, "group_", groupID); err != nil {
		return "", err
	}
	p := params{"group_id": groupID, "file": u.File, "name": u.Name, "upload_file": true}
	withParam(p, "folder", u.Folder)
	withParam(p, "folder_id", u.Folder) // alternative name
	return b.upload(ctx, "upload_group_file", p)
}

// UploadPrivateFile sends a file to a friend (upload_private_file); otherwise like [Bot.UploadGroupFile].
func (b *Bot) UploadPrivateFile(ctx context.Context, userID int64, u FileUpload) (fileID string, err error) {
	if err := b.wait(ctx, "user_", userID); err != nil {
		return "", err
	}
	return b.upload(ctx, "upload_private_file", params{"user_id": userID, "file": u.File, "name": u.Name, "upload_file": true})
}

func (b *Bot) upload(ctx context.Context, action string, p params) (string, error) {
	done, err := get[UploadedFile](ctx, b, action, p)
	return done.ID, err
}

// GetGroupFileURL returns the URL of a group's file (get_group_file_url). Only go-cqhttp and Lagrange need busID;
// otherwise it is 0. An extension.
func (b *Bot) GetGroupFileURL(ctx context.Context, groupID int64, fileID string, busID int64) (string, error) {
	return b.fileURL(ctx, "get_group_file_url", params{"group_id": groupID, "file_id": fileID, "busid": busID})
}

// GetPrivateFileURL returns the URL of a file sent by a friend (get_private_file_url). Only Lagrange and SnowLuma need
// userID and hash (file_hash). An extension.
func (b *Bot) GetPrivateFileURL(ctx context.Context, userID int64, fileID, hash string) (string, error) {
	p := withParam(params{"file_id": fileID}, "user_id", userID)
	return b.fileURL(ctx, "get_private_file_url", withParam(p, "file_hash", hash))
}

func (b *Bot) fileURL(ctx context.Context, action string, p params) (string, error) {
	f, err := get[FileInfo](ctx, b, action, p)
	return f.URL, err
}

// GetGroupRootFiles lists the root folder of a group's files (get_group_root_files). An extension.
func (b *Bot) GetGroupRootFiles(ctx context.Context, groupID int64) (GroupFiles, error) {
	return get[GroupFiles](ctx, b, "get_group_root_files", params{"group_id": groupID})
}

// GetGroupFilesByFolder lists a folder of a group's files (get_group_files_by_folder). An extension.
func (b *Bot) GetGroupFilesByFolder(ctx context.Context, groupID int64, folderID string) (GroupFiles, error) {
	return get[GroupFiles](ctx, b, "get_group_files_by_folder", params{"group_id": groupID, "folder_id": folderID, "folder": folderID})
}

// GetGroupFileSystemInfo returns the number of a group's files and their space (get_group_file_system_info). An
// extension.
func (b *Bot) GetGroupFileSystemInfo(ctx context.Context, groupID int64) (FileSystemInfo, error) {
	return get[FileSystemInfo](ctx, b, "get_group_file_system_info", params{"group_id": groupID})
}

// CreateGroupFileFolder creates a folder in the root of a group's files (create_group_file_folder). An extension.
func (b *Bot) CreateGroupFileFolder(ctx context.Context, groupID int64, name string) error {
	return b.Call(ctx, "create_group_file_folder", params{"group_id": groupID, "name": name, "folder_name": name, "parent_id": "/"}, nil)
}

// DeleteGroupFile deletes a group's file (delete_group_file); busID as in [Bot.GetGroupFileURL]. An extension.
func (b *Bot) DeleteGroupFile(ctx context.Context, groupID int64, fileID string, busID int64) error {
	return b.Call(ctx, "delete_group_file", params{"group_id": groupID, "file_id": fileID, "busid": busID}, nil)
}

// DeleteGroupFolder deletes a folder of a group's files (delete_group_folder, or delete_group_file_folder of Lagrange and
// SnowLuma). An extension.
func (b *Bot) DeleteGroupFolder(ctx context.Context, groupID int64, folderID string) error {
	p := params{"group_id": groupID, "folder_id": folderID}
	return b.callAny(ctx, p, nil, "delete_group_folder", "delete_group_file_folder")
}

// RenameGroupFileFolder renames a folder of a group's files (rename_group_file_folder, parameter new_folder_name). An
// extension of LLBot, SnowLuma and Lagrange.
func (b *Bot) RenameGroupFileFolder(ctx context.Context, groupID int64, folderID, name string) error {
	return b.Call(ctx, "rename_group_file_folder", params{
		"group_id": groupID, "folder_id": folderID, "new_folder_name": name, "name": name, // alternative name
	}, nil)
}

// MoveGroupFile moves a group's file between folders (move_group_file); "/" is the root. An extension.
func (b *Bot) MoveGroupFile(ctx context.Context, groupID int64, fileID, from, to string) error {
	return b.Call(ctx, "move_group_file", params{
		"group_id": groupID, "file_id": fileID,
		"current_parent_directory": from, "target_parent_directory": to,
		"parent_directory": from, "target_directory": to, // Lagrange's names
	}, nil)
}

// RenameGroupFile renames a group's file in the folder parent (rename_group_file). An extension of NapCat and LLBot.
func (b *Bot) RenameGroupFile(ctx context.Context, groupID int64, fileID, parent, name string) error {
	return b.Call(ctx, "rename_group_file", params{
		"group_id": groupID, "file_id": fileID, "current_parent_directory": parent, "new_name": name,
	}, nil)
}

// FetchCustomFace returns the URLs of the account's own stickers, at most count; 0 means 48 (fetch_custom_face). An
// extension.
func (b *Bot) FetchCustomFace(ctx context.Context, count int) ([]string, error) {
	return get[[]string](ctx, b, "fetch_custom_face", params{"count": cmp.Or(count, 48)})
}
